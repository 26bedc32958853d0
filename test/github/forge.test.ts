import { describe, expect, it } from "vitest";
import { mayWrite } from "../../src/model/forge.ts";
import { answerOf, closeServers, trial } from "./forge-fixture.ts";

closeServers();
const MARK = "<!-- rollcall:audit -->";
const BOT = "github-actions[bot]";

describe("issues", () => {
  it("are opened, edited, closed, opened again and found by label and mark", async () => {
    const { forge, world } = await trial();
    answerOf(await forge.ensureLabel({ name: "rollcall", color: "0e8a16", description: "by rollcall" }));
    answerOf(await forge.ensureLabel({ name: "rollcall", color: "0e8a16", description: "by rollcall" }));
    const made = answerOf(await forge.createIssue({ title: "Drift", body: `${MARK}\nweb-01`, labels: ["rollcall"] }));
    const open = { label: "rollcall", mark: MARK, state: "open" } as const;
    expect(answerOf(await forge.findIssues(open))).toEqual([made]);
    answerOf(await forge.updateIssue(made.number, { body: `${MARK}\nweb-02`, labels: ["rollcall", "urgent"] }));
    answerOf(await forge.updateIssue(made.number, { state: "closed" }));
    expect(answerOf(await forge.findIssues(open))).toEqual([]);
    expect(answerOf(await forge.findIssues({ ...open, state: "all" }))).toMatchObject([
      { state: "closed", labels: ["rollcall", "urgent"] },
    ]);
    expect(answerOf(await forge.updateIssue(made.number, { state: "open" })).state).toBe("open");
    expect(world.issues.get(made.number)?.body).toBe(`${MARK}\nweb-02`);
  });

  it("of others, of other marks, and pull requests are not ours", async () => {
    const { forge, world } = await trial();
    world.person("mallory", "read");
    const labels = ["rollcall"];
    world.issue("mallory", { body: MARK, labels });
    world.issue(BOT, { body: "<!-- rollcall:rollout -->", labels });
    world.issue(BOT, { body: null, labels });
    world.pull(BOT, {}, { body: MARK, labels });
    for (let index = 0; index < 120; index++) world.issue("mallory", { body: MARK, labels });
    const ours = world.issue(BOT, { body: MARK, labels });
    const found = answerOf(await forge.findIssues({ label: "rollcall", mark: MARK, state: "open" }));
    expect(found.map((one) => one.number)).toEqual([ours.number]);
  });

  it("are not made twice when the answer was lost", async () => {
    const { forge, world, github } = await trial();
    github.fault({ on: "issues/create", kind: "lost" });
    const made = answerOf(await forge.createIssue({ title: "Drift", body: MARK, labels: [] }));
    expect([...world.issues.keys()]).toEqual([made.number]);
  });

  it("that are too long are not sent", async () => {
    const { forge, github } = await trial();
    expect(await forge.createIssue({ title: "x", body: "x".repeat(65_537), labels: [] })).toMatchObject({
      code: "too-large",
    });
    expect(github.requests).toEqual([]);
  });
});

describe("permission", () => {
  it.each([
    ["octocat", "admin", true],
    ["keeper", "maintain", true],
    ["writer", "write", true],
    ["helper", "triage", false],
    ["reader", "read", false],
    ["nobody", "none", false],
  ] as const)("of %s is %s", async (login, permission, may) => {
    const { forge, world } = await trial();
    for (const role of ["maintain", "write", "triage", "read"])
      world.person({ maintain: "keeper", write: "writer", triage: "helper", read: "reader" }[role] as string, role);
    const found = answerOf(await forge.permission(login));
    expect([found, mayWrite(found)]).toEqual([permission, may]);
  });

  it("of a role of the organisation's own is that of its base", async () => {
    const { forge, world } = await trial();
    world.person("dev", "write");
    world.roles.set("dev", { permission: "write", role_name: "fleet-operator" });
    expect(answerOf(await forge.permission("dev"))).toBe("write");
  });
});

describe("pull requests", () => {
  it("tell own branch, fork, deleted fork and bot apart", async () => {
    const { forge, world } = await trial();
    world.person("dependabot[bot]", "none", "Bot");
    const own = world.pull("octocat", { mergeable: null, draft: true });
    const fork = world.pull("octocat", { headRepo: "mallory/fleet" });
    const gone = world.pull("octocat", { headRepo: null, mergeable: false });
    const bot = world.pull("dependabot[bot]");
    const merged = world.pull("octocat", { merged: true }, { state: "closed" });
    const all = await Promise.all(
      [own, fork, gone, bot, merged].map(async ({ number }) => answerOf(await forge.pullRequest(number))),
    );
    expect(all.map((one) => [one.fromFork, one.authorType, one.mergeable, one.draft, one.state])).toEqual([
      [false, "person", null, true, "open"],
      [true, "person", true, false, "open"],
      [true, "person", false, false, "open"],
      [false, "bot", true, false, "open"],
      [false, "person", true, false, "merged"],
    ]);
    expect(all[0]).toMatchObject({
      headSha: "a".repeat(40),
      baseSha: "b".repeat(40),
      headBranch: "topic",
      baseBranch: "main",
    });
  });

  it("that are open come with what they change, past a hundred files", async () => {
    const { forge, world } = await trial();
    const files = Array.from({ length: 150 }, (_, index) => ({
      filename: `roster/nodes/n${String(index).padStart(3, "0")}.yaml`,
    }));
    world.pull("octocat", { files });
    world.pull("octocat", { baseBranch: "other" });
    world.pull("octocat", {}, { state: "closed" });
    world.pull("octocat", { files: [{ filename: "b", previous_filename: "a" }] });
    const open = answerOf(await forge.openPullRequests("main", 10));
    expect(open.map((one) => [one.number, one.files.length, one.complete])).toEqual([
      [4, 2, true],
      [1, 150, true],
    ]);
    expect(open[0]?.files).toEqual(["a", "b"]);
    expect(answerOf(await forge.openPullRequests("main", 1))).toHaveLength(1);
  });

  it("with more files than are listed say so", async () => {
    const { forge, world } = await trial();
    world.pull("octocat", { files: Array.from({ length: 3001 }, (_, index) => ({ filename: `f${index}` })) });
    expect(answerOf(await forge.openPullRequests("main", 10))).toMatchObject([{ complete: false }]);
  });

  it("are found by the commit that merged them", async () => {
    const { forge, world } = await trial();
    const merged = world.pull("octocat", { merged: true, commits: ["c".repeat(40)] }, { state: "closed" });
    expect(answerOf(await forge.pullRequestsOf("c".repeat(40)))).toMatchObject([
      { number: merged.number, state: "merged" },
    ]);
    expect(answerOf(await forge.pullRequestsOf("d".repeat(40)))).toEqual([]);
  });
});

describe("deployments, statuses and dispatches", () => {
  const permissions = ["deployments:write", "statuses:write", "actions:write", "metadata:read"];
  const wanted = { sha: "c".repeat(40), environment: "fleet", task: "role:web", description: "x".repeat(200) };

  it("make one deployment, whatever happens to the answer", async () => {
    const { forge, world, github } = await trial({ permissions });
    github.fault({ on: "repos/create-deployment", kind: "lost" });
    const id = answerOf(await forge.deployment(wanted));
    expect(answerOf(await forge.deployment(wanted))).toBe(id);
    expect(world.deployments).toHaveLength(1);
    const other = answerOf(await forge.deployment({ ...wanted, task: "role:edge" }));
    expect(other).not.toBe(id);
    answerOf(
      await forge.deploymentStatus(id, {
        state: "in_progress",
        description: "x".repeat(200),
        url: "https://example.org/run",
      }),
    );
    expect(world.deploymentStatuses).toMatchObject([
      { deployment: id, auto_inactive: false, log_url: "https://example.org/run" },
    ]);
    answerOf(await forge.commitStatus(wanted.sha, "rollcall", { state: "success", description: "ok", url: null }));
    expect(world.statuses).toEqual([{ sha: wanted.sha, context: "rollcall", state: "success", description: "ok" }]);
  });

  it("never dispatch twice", async () => {
    const { forge, world, github } = await trial({ permissions });
    const first = answerOf(await forge.dispatch("reconcile.yml", "main", { shard: "1/4" }));
    expect(first.run).toBeGreaterThan(0);
    github.fault({ on: "actions/create-workflow-dispatch", kind: "lost" });
    expect(await forge.dispatch("reconcile.yml", "main", {})).toMatchObject({ code: "network" });
    expect(world.dispatches).toHaveLength(2);
  });
});
