import { describe, expect, it } from "vitest";
import { closeServers } from "../github/forge-fixture.ts";
import { fleet, MergeTrial, node, role, site } from "./ci-merge-trial.ts";

closeServers();

const NAMES = ["web-01", "web-02"];

function first(more: object = {}, machine: object = {}): Promise<MergeTrial> {
  return MergeTrial.of(NAMES, {
    "roster/fleet.yaml": fleet(1, more),
    "roster/nodes/web-01.yaml": node("web-01"),
    "roster/nodes/web-02.yaml": node("web-02", machine),
    "host-roles/web.yaml": role(1, [site("one\n")]),
  });
}

const broken = {
  node: "web-01",
  fault: "effect-fails",
  step: 0,
  effect: 0,
  code: "command-failed",
  detail: "no room",
  done: false,
} as const;

describe("a merge run tells", () => {
  it("of each rollout in an issue of its own, which is closed when it is through", async () => {
    const world = await first();
    const { result, run } = await world.reconcile();
    expect(result.exitCode).toBe(0);
    const issues = [...world.api.world.issues.values()];
    expect(issues).toMatchObject([
      { title: "Rollout of role:web, generation 1", state: "closed", labels: ["rollcall"] },
    ]);
    expect(issues[0]?.body).toMatch(/^<!-- rollcall:rollout id=role:web@[0-9a-f]{12} round=1 -->\n/);
    expect(run.summaries.length).toBeGreaterThan(2);
    expect(run.summaries.some((text) => text.includes("**at work**"))).toBe(true);
    expect(run.summaries.at(-1)).toMatch(
      /\*\*all of it is in\*\*[\s\S]*\| `role:web` \| \*\*completed\*\* \| .* \| 2 of 2 \| 0 \|/,
    );
    expect([...run.documents.keys()]).toEqual(["reconcile.json", "review.json", "plan.json"]);
  });

  it("what to type where one stands still, and closes the issue when a later run is through", async () => {
    const world = await first();
    const { result, text, run } = await world.reconcile({ faults: [broken] });
    expect(result.exitCode).toBe(1);
    expect(text.trimEnd().split("\n").at(-1)).toMatch(/^What to do: rollcall rollout/);
    const [issue] = world.openIssues();
    expect(issue?.body).toMatch(/What to type[\s\S]*`\/rollcall (resume|retry) role:web`/);
    expect(issue?.body).toContain("no room");
    expect(run.summaries.at(-1)).toMatch(/`role:web` failed on:[\s\S]*`web-01` \*\*failed\*\*/);
    world.commit({ "roster/fleet.yaml": fleet(2), "host-roles/web.yaml": role(2, [site("two\n")]) }, "mended");
    world.push();
    expect((await world.reconcile()).result.exitCode).toBe(0);
    expect(world.openIssues()).toEqual([]);
  });

  it("of a machine that is another one in an incident, which the first good visit closes", async () => {
    const world = await first({}, { machine_id: "0".repeat(64) });
    const { result } = await world.reconcile();
    expect(result.exitCode).toBe(1);
    expect(world.openIssues()).toContainEqual(expect.objectContaining({ title: "web-02: identity-mismatch" }));
    world.commit(
      {
        "roster/fleet.yaml": fleet(2),
        "roster/nodes/web-02.yaml": node("web-02"),
        "host-roles/web.yaml": role(2, [site("two\n")]),
      },
      "mended",
    );
    world.push();
    expect((await world.reconcile()).result.exitCode).toBe(0);
    expect(world.openIssues()).toEqual([]);
  });

  it("with deployments and statuses where the fleet says so, and without them elsewhere", async () => {
    const without = await first();
    await without.reconcile();
    expect([without.api.world.deployments, without.api.world.statuses]).toEqual([[], []]);
    const world = await first({ github: { deployments: "true", statuses: "true" } });
    await world.reconcile();
    const commit = world.head();
    expect(world.api.world.deployments).toMatchObject([{ sha: commit, environment: "fleet", task: "role:web" }]);
    expect(world.api.world.deploymentStatuses).toMatchObject([{ state: "success" }]);
    expect(world.api.world.statuses).toMatchObject([
      { sha: commit, state: "pending" },
      { sha: commit, state: "success" },
    ]);
  });
});

describe("what cannot be told", () => {
  it("neither fails nor hides the rollout, and is said at the end", async () => {
    const world = await first();
    world.api.github.fault({
      on: "issues/create",
      kind: "answer",
      status: 403,
      message: "Resource not accessible by integration",
      times: 99,
    });
    const { result, text, run } = await world.reconcile();
    expect(result).toMatchObject({ exitCode: 0, document: { not_told: [{ code: "forbidden" }] } });
    expect(world.site("web-02")).toBe("one\n");
    expect(text).toContain("not told the tracking issue of role:web@");
    expect(run.summaries.at(-1)).toContain("Not everything could be told on GitHub");
    expect(run.annotations).toMatchObject([{ level: "warning" }]);
  });

  it("because the token has expired is tried once with what its source holds then", async () => {
    const world = await first();
    world.api.world.tokens.clear();
    const expired = await world.reconcile();
    expect(expired.result.exitCode).toBe(0);
    expect(expired.text).toContain("GITHUB_TOKEN_FILE");
    expect(expired.run.documents.has("reconcile.json")).toBe(true);
    expect(world.site("web-01")).toBe("one\n");
    const renewed = await first();
    renewed.api.world.tokens.clear();
    renewed.api.tokens = ["first-token", renewed.api.world.token("second-token")];
    expect((await renewed.reconcile()).result).toMatchObject({ exitCode: 0, document: { not_told: [] } });
    expect([...renewed.api.world.issues.values()]).toMatchObject([{ state: "closed" }]);
  });
});
