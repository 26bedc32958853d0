import { describe, expect, it } from "vitest";
import { closeServers } from "../github/forge-fixture.ts";
import { fleet, MergeTrial, node, role, site } from "./ci-merge-trial.ts";

closeServers();

const NAMES = ["web-01", "web-02"];
const REMOVED = { type: "file", path: "/etc/site", state: "absent" };

/** Two nodes that have proved generation 1. */
async function settled(): Promise<MergeTrial> {
  const world = await MergeTrial.of(NAMES, {
    "roster/fleet.yaml": fleet(1),
    "roster/nodes/web-01.yaml": node("web-01"),
    "roster/nodes/web-02.yaml": node("web-02"),
    "host-roles/web.yaml": role(1, [site("one\n")]),
  });
  const first = await world.reconcile();
  expect([first.result.exitCode, first.text]).toEqual([0, expect.stringContaining("role:web")]);
  return world;
}

const second = (content: string, generation = 2, version = 2) => ({
  "roster/fleet.yaml": fleet(generation),
  "host-roles/web.yaml": role(version, [site(content)]),
});
const removal = { "roster/fleet.yaml": fleet(2), "host-roles/web.yaml": role(2, [REMOVED]) };

describe("what was reviewed", () => {
  it("of one pull request goes on, also when it takes something away", async () => {
    const world = await settled();
    const change = world.proposed(removal);
    world.merge(change);
    world.push();
    const { result, run } = await world.reconcile();
    expect(result).toMatchObject({ exitCode: 0, document: { review: { kind: "reviewed", escalations: [] } } });
    expect(NAMES.map((name) => world.site(name))).toEqual([undefined, undefined]);
    expect(run.summaries.at(-1)).toContain(`[#${change.number}]`);
    expect(world.comments(change.number)).toHaveLength(1);
  });

  it("of two pull requests that were merged within a second is both together", async () => {
    const world = await settled();
    const first = world.proposed(removal);
    const other = world.proposed({
      "roster/fleet.yaml": fleet(3),
      "host-roles/edge.yaml": JSON.stringify({
        role: "edge",
        version: "1",
        description: "Test.",
        resources: [{ type: "file", path: "/etc/edge", content: "x\n" }],
      }),
      "roster/nodes/web-02.yaml": node("web-02", { roles: ["web", "edge"] }),
    });
    world.merge(first);
    world.git("merge", "--quiet", "--no-ff", "-X", "theirs", "--message", "Merge", other.branch);
    const merge = world.head();
    const issue = world.api.world.issues.get(other.number);
    Object.assign(issue ?? {}, {
      state: "closed",
      pull: { ...issue?.pull, merged: true, headSha: world.git("rev-parse", other.branch), commits: [merge] },
    });
    world.push();
    const { result } = await world.reconcile();
    expect(result).toMatchObject({ exitCode: 0, document: { review: { kind: "reviewed", escalations: [] } } });
    expect(world.site("web-01")).toBeUndefined();
    expect(world.nodes.get("web-02")?.files.get("/etc/edge")).toBeDefined();
  });

  it("is the older plan where the pull request was pushed to afterwards", async () => {
    const world = await settled();
    const change = world.proposed(second("two\n"));
    world.git("checkout", "--quiet", change.branch);
    world.commit(removal, "and now take it away");
    world.git("checkout", "--quiet", "main");
    world.merge(change);
    world.push();
    const { result, text } = await world.reconcile();
    expect(result).toMatchObject({
      exitCode: 2,
      document: { error: { code: "escalation" }, review: { kind: "reviewed" } },
    });
    expect(text).toContain("file:/etc/site would be taken away");
    expect(JSON.stringify(result.document)).toContain("was pushed to after its plan was posted");
    expect(world.site("web-01")).toBe("one\n");
    expect(world.comments(change.number).at(-1)).toMatch(/^<!-- rollcall:escalation -->\n\*\*Not carried out/);
  });

  it.each([
    ["without a pull request", null],
    ["without any comment", "none"],
    ["with the same mark by somebody else", "mallory"],
  ])("%s is nothing: what takes away stops before any node", async (_what, by) => {
    const world = await settled();
    world.api.world.person("mallory", "read");
    if (by === null) world.commit(removal, "straight to main");
    else world.merge(world.proposed(removal, by === "none" ? null : by));
    world.push();
    const { result, text, run } = await world.reconcile();
    expect(result).toMatchObject({
      exitCode: 2,
      document: {
        error: { code: "escalation" },
        review: { kind: "not-reviewed", escalations: [{ code: "destructive", nodes: NAMES }] },
      },
    });
    expect(text.trimEnd().split("\n").at(-1)).toMatch(/^What to do: .*accept_escalation/);
    expect(run.summaries.at(-1)).toContain("was not reviewed");
    expect(NAMES.map((name) => world.site(name))).toEqual(["one\n", "one\n"]);
    expect(world.openIssues()).toMatchObject([{ title: "The merge is not carried out: escalation" }]);
    expect(world.remote.file("observed", "fleet.json")).toContain('"generation": 1');
  });

  it("is asked for only what takes away or restarts: a plain change without a review goes on, and is said", async () => {
    const world = await settled();
    world.commit(second("two\n"), "straight to main");
    world.push();
    const { result, run } = await world.reconcile();
    expect(result).toMatchObject({ exitCode: 0, document: { review: { kind: "not-reviewed", escalations: [] } } });
    expect(run.summaries.at(-1)).toContain("it came without a pull request");
    expect(world.site("web-02")).toBe("two\n");
  });

  it("can be accepted for a reason, which stays on the record", async () => {
    const world = await settled();
    world.commit(removal, "straight to main");
    world.push();
    expect((await world.reconcile()).result.exitCode).toBe(2);
    const { result, run } = await world.reconcile({ accept: "the disk is full" });
    expect(result.exitCode).toBe(0);
    expect(world.site("web-01")).toBeUndefined();
    expect(run.summaries.at(-1)).toMatch(/\*\*ESCAPE\*\* `role:web` past escalation: "the disk is full" \(octocat\)/);
    const log = world.remote.git("grep", "-h", '"escape"', "observed", "--", "rollouts");
    expect(log).toContain("the disk is full");
    expect(world.openIssues()).toEqual([]);
  });

  it("that nobody can be asked for stops what takes away, and nothing else", async () => {
    const world = await settled();
    const change = world.proposed(removal);
    world.merge(change);
    world.push();
    world.api.github.fault({
      on: "repos/list-pull-requests-associated-with-commit",
      kind: "answer",
      status: 503,
      times: 9,
    });
    const down = await world.reconcile();
    expect(down.result).toMatchObject({ exitCode: 2, document: { review: { kind: "not-known" } } });
    expect(down.run.summaries.at(-1)).toContain("nobody could be asked what was reviewed");
    const without = await world.reconcile({ forge: null });
    expect(without.result.exitCode).toBe(2);
    world.commit(second("three\n", 3, 3), "a plain change instead");
    world.push();
    const plain = await world.reconcile({ forge: null });
    expect(plain.result).toMatchObject({ exitCode: 0, document: { review: { kind: "not-known" } } });
    expect(plain.text).toContain("there is no token");
  });

  it("does not matter to a run over what was begun before", async () => {
    const world = await settled();
    const asked = world.api.github.requests.length;
    const { result } = await world.reconcile();
    expect(result).toMatchObject({ exitCode: 0, document: { review: { kind: "nothing-new", escalations: [] } } });
    expect(world.api.github.requests.slice(asked)).not.toContain("repos/list-pull-requests-associated-with-commit");
  });

  it("is found again from the change itself when its trial merge is gone", async () => {
    const world = await settled();
    const change = world.proposed(removal);
    world.merge(change);
    world.push();
    const merge = world.remote.refs()[`refs/pull/${change.number}/merge`] ?? "";
    world.remote.git("update-ref", "-d", `refs/pull/${change.number}/merge`);
    world.remote.git("-c", "gc.pruneExpire=now", "prune", "--expire=now");
    expect(() => world.remote.git("cat-file", "-e", merge)).toThrow();
    expect((await world.reconcile()).result).toMatchObject({ exitCode: 0, document: { review: { kind: "reviewed" } } });
  });
});

describe("the fence", () => {
  it("stops two merges with one generation, and says the line that mends it; any later raise heals", async () => {
    const world = await settled();
    const first = world.proposed(second("two\n"));
    const other = world.proposed({
      "roster/fleet.yaml": fleet(2),
      "roster/nodes/web-02.yaml": node("web-02", { labels: { a: "b" } }),
    });
    world.merge(first);
    world.merge(other);
    world.push();
    const { result, text } = await world.reconcile();
    expect(result).toMatchObject({ exitCode: 2, document: { error: { code: "stale-generation" } } });
    expect(text.trimEnd().split("\n").at(-1)).toBe("What to do: Run: rollcall generation bump --generation 2");
    expect(world.site("web-01")).toBe("one\n");
    expect(world.openIssues()).toMatchObject([{ title: "The merge is not carried out: stale-generation" }]);
    world.commit({ "roster/fleet.yaml": fleet(3) }, "raise");
    world.push();
    expect((await world.reconcile()).result.exitCode).toBe(0);
    expect(world.site("web-01")).toBe("two\n");
    expect(world.openIssues()).toEqual([]);
  });

  it("refuses what the revert button makes", async () => {
    const world = await settled();
    world.merge(world.proposed(second("two\n")));
    world.push();
    expect((await world.reconcile()).result.exitCode).toBe(0);
    world.git("revert", "--no-edit", "--mainline", "1", "HEAD");
    world.push();
    const { result } = await world.reconcile();
    expect(result).toMatchObject({ exitCode: 2, document: { error: { code: "stale-generation" } } });
    expect(world.site("web-01")).toBe("two\n");
  });
});
