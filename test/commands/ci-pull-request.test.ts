import { describe, expect, it } from "vitest";
import { planDocumentSchema } from "../../src/model/plan-document.ts";
import { PLAN_MARK, readPlanMark } from "../../src/render/plan-mark.ts";
import { closeServers } from "../github/forge-fixture.ts";
import { CHANGE, edge, PullRequestTrial } from "./ci-pull-request-trial.ts";

closeServers();

const NO_BUMP = { "host-roles/edge.yaml": edge(2, "two") };

describe("ci pull-request tells a pull request", () => {
  it("in one comment, a summary, documents and outputs", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(CHANGE);
    const answer = await trial.own(change);
    expect(answer.exitCode).toBe(0);
    const [body = "", ...more] = trial.comments();
    expect(more).toEqual([]);
    expect(body).toContain("generation 1 → 2 · 1 unit on 3 of 3 nodes");
    expect(readPlanMark(body)).toMatchObject({ head: change.head, merge: change.merge, observed: null });
    expect(answer.summary).toContain("generation 1 → 2 · 1 unit on 3 of 3 nodes");
    expect(answer.summary).not.toContain(PLAN_MARK);
    expect(planDocumentSchema.parse(JSON.parse(answer.documents["plan.json"] ?? "")).counts.nodes).toBe(3);
    expect(answer.documents["comment.md"]).toBe(body);
    expect(answer.outputs).toContain("blocked=false\n");
    expect(answer.text).toContain("the plan is ready");
    expect(trial.log).toContain("::group::The plan\n::stop-commands::");
  });

  it("that is stale: exit 2, an error on the line, the way out as the last line", async () => {
    const trial = await PullRequestTrial.begin();
    const answer = await trial.own(trial.propose(NO_BUMP));
    expect(answer.exitCode).toBe(2);
    expect(trial.log).toContain("::error file=roster/fleet.yaml,line=2,title=rollcall%3A stale-generation::");
    expect(answer.text.trimEnd().split("\n").at(-1)).toContain("rollcall generation bump --generation 1");
    expect(trial.comments()[0]).toContain("**Blocked by 1 finding.**");
    expect(answer.outputs).toContain("blocked=true\n");
  });

  it("again without a word when nothing is new, and makes a deleted comment anew", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(CHANGE);
    await trial.own(change);
    const [body] = trial.comments();
    const writes = () => trial.forge.github.requests.filter((one) => /create-comment|update-comment/.test(one)).length;
    expect(writes()).toBe(1);
    expect((await trial.own(change)).text).toContain("it says so already");
    expect(writes()).toBe(1);
    trial.forge.world.comments.clear();
    await trial.own(change);
    expect(trial.comments()).toEqual([body]);
  });

  it("after a force-push by editing the same comment, which says what moved", async () => {
    const trial = await PullRequestTrial.begin();
    await trial.own(trial.propose(CHANGE));
    const [id] = [...trial.forge.world.comments.keys()];
    const next = trial.propose({
      ...CHANGE,
      "roster/nodes/web-02.yaml": "name: web-02\nclass: server\naddress: web-02.example.org\nroles: []\n",
    });
    await trial.own(next);
    expect([...trial.forge.world.comments.keys()]).toEqual([id]);
    const [body = ""] = trial.comments();
    expect(body).toContain("**What moved since the last look** (change ");
    expect(body).toMatch(/\*\*No longer\*\* `file:\/etc\/edge` on `web-02`/);
    expect(readPlanMark(body)?.head).toBe(next.head);
  });

  it("after a force-push whose old commits are gone, and says that", async () => {
    const trial = await PullRequestTrial.begin();
    await trial.own(trial.propose(CHANGE));
    const [comment] = [...trial.forge.world.comments.values()];
    if (comment === undefined) throw new Error("no comment");
    const gone = "1".repeat(40);
    comment.body = comment.body
      .replace(/merge=[0-9a-f]{40}/, `merge=${gone}`)
      .replace(/digest=[0-9a-f]{64}/, `digest=${"1".repeat(64)}`);
    await trial.own(trial.propose({ ...CHANGE, "host-roles/edge.yaml": edge(2, "three") }));
    expect(trial.comments()[0]).toContain("what moved cannot be said, commit 1111111 is no longer there");
  });

  it("and takes the same mark by another author, or quoted, for nothing of ours", async () => {
    const trial = await PullRequestTrial.begin();
    trial.forge.world.person("mallory", "read");
    trial.forge.world.comment(trial.number, "mallory", `${PLAN_MARK}\nall is well`);
    await trial.own(trial.propose(CHANGE));
    expect(trial.comments()).toHaveLength(2);
    expect(trial.comments()[0]).toBe(`${PLAN_MARK}\nall is well`);
  });

  it("and finds its comment past a hundred others", async () => {
    const trial = await PullRequestTrial.begin();
    for (let index = 0; index < 130; index++) trial.forge.world.comment(trial.number, "octocat", `talk ${index}`);
    await trial.own(trial.propose(CHANGE));
    await trial.own(trial.propose({ ...CHANGE, "host-roles/edge.yaml": edge(2, "three") }));
    expect(trial.comments().filter((body) => body.startsWith(PLAN_MARK))).toHaveLength(1);
  });

  it("but not one that is closed, now or meanwhile, and not one that has moved on", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(CHANGE);
    expect((await trial.own(change, { state: "closed" })).text).toContain("is closed");
    const issue = trial.forge.world.issues.get(trial.number);
    if (issue === undefined) throw new Error("no issue");
    issue.state = "closed";
    expect((await trial.own(change)).text).toContain("the pull request is closed");
    issue.state = "open";
    trial.propose({ ...CHANGE, "host-roles/edge.yaml": edge(2, "three") });
    expect((await trial.own(change)).text).toContain("has moved on");
    expect(trial.comments()).toEqual([]);
  });

  it("with a note when it is a draft", async () => {
    const trial = await PullRequestTrial.begin();
    await trial.own(trial.propose(CHANGE, { draft: true }), { draft: true });
    expect(trial.comments()[0]).toContain("It is a draft.");
  });

  it("with the open pull requests that touch the same", async () => {
    const trial = await PullRequestTrial.begin();
    const files = [{ filename: "host-roles/edge.yaml" }, { filename: "roster/nodes/web-01.yaml" }];
    trial.forge.world.pull("octocat", { files }, { title: "IPv6 for @everyone #1" });
    trial.forge.world.pull("octocat", { files: [{ filename: "README.md" }] }, { title: "Docs" });
    await trial.own(trial.propose(CHANGE));
    const [body = ""] = trial.comments();
    expect(body).toContain(
      "**Conflict** with pull request 2 (IPv6 for @\u200beveryone #\u200b1): it changes role edge too; it changes web-01, which this is for",
    );
    expect(body).not.toContain("Docs");
  });
});

describe("ci pull-request for who cannot write", () => {
  const READ_ONLY = { permissions: ["pull_requests:read", "contents:read", "metadata:read", "issues:read"] };

  it("leaves a fork to the workflow after it", async () => {
    const trial = await PullRequestTrial.begin(READ_ONLY);
    const change = trial.propose(CHANGE, { fork: true });
    const event = { name: "pull_request", payload: trial.payload(change, { fork: true }) };
    const answer = await trial.job(event, { checkout: change.merge, actor: "mallory" });
    expect(answer.exitCode).toBe(0);
    expect(answer.summary).toContain("comes from a fork");
    expect(answer.text).toContain("the workflow after it writes the comment");
    expect(trial.comments()).toEqual([]);
    expect(trial.log).not.toContain("::warning title=rollcall::the plan comment");
  });

  it("and posts for it there, from the default branch's checkout", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(CHANGE, { fork: true });
    const payload = {
      workflow_run: { id: 9, event: "pull_request", head_sha: change.head, head_branch: "topic", pull_requests: [] },
    };
    const answer = await trial.job({ name: "workflow_run", payload }, { checkout: "main", fromRun: true });
    expect(answer.exitCode).toBe(0);
    expect(trial.comments()[0]).toContain("1 unit on 3 of 3 nodes");
    expect(trial.comments()[0]).toContain("comes from a fork");
  });

  it("and stays green there when the plan is blocked: the check is the run before", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(NO_BUMP, { fork: true });
    const payload = { workflow_run: { id: 9, event: "pull_request", head_sha: change.head, head_branch: "topic" } };
    const answer = await trial.job({ name: "workflow_run", payload }, { checkout: "main", fromRun: true });
    expect(answer.exitCode).toBe(0);
    expect(trial.comments()[0]).toContain("**Blocked by 1 finding.**");
  });

  it("and says nothing there of an own pull request, nor of a commit that is no longer the newest", async () => {
    const trial = await PullRequestTrial.begin();
    const own = trial.propose(CHANGE);
    const runOf = (head: string) => ({
      name: "workflow_run",
      payload: { workflow_run: { id: 9, event: "pull_request", head_sha: head, head_branch: "topic" } },
    });
    expect((await trial.job(runOf(own.head), { checkout: "main", fromRun: true })).text).toContain(
      "told by its own run",
    );
    trial.propose({ ...CHANGE, "host-roles/edge.yaml": edge(2, "three") }, { fork: true });
    expect((await trial.job(runOf(own.head), { checkout: "main", fromRun: true })).text).toContain("nothing to do");
    expect(trial.comments()).toEqual([]);
  });
});

describe("ci pull-request where the forge does not answer", () => {
  it.each([
    ["a comment that is refused", "issues/create-comment", 403],
    ["a list that fails", "issues/list-comments", 500],
    ["a pull request that cannot be read", "pulls/get", 500],
  ])("says so, and the good plan stays good: %s", async (_what, on, status) => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(CHANGE);
    trial.forge.github.fault({ on, kind: "answer", status, times: 99 });
    const answer = await trial.own(change);
    expect(answer.exitCode).toBe(0);
    expect(trial.log).toContain("::warning title=rollcall::the plan comment: ");
    expect(answer.summary).toContain("> [!WARNING]\n> The comment could not be written: ");
    expect(answer.summary).toContain("1 unit on 3 of 3 nodes");
    expect(trial.comments()).toEqual([]);
  });

  it("and a blocked one stays blocked without a token", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(NO_BUMP);
    const event = { name: "pull_request", payload: trial.payload(change) };
    const answer = await trial.job(event, { checkout: change.merge, forge: null });
    expect(answer.exitCode).toBe(2);
    expect(answer.summary).toContain("there is no token");
  });

  it("says that conflicts are not known", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(CHANGE);
    trial.forge.github.fault({ on: "pulls/list", kind: "answer", status: 500, times: 99 });
    await trial.own(change);
    expect(trial.comments()[0]).toContain("no conflict with them is shown");
  });
});

describe("ci pull-request elsewhere", () => {
  it("checks what a merge queue would merge, and tells nobody", async () => {
    const trial = await PullRequestTrial.begin();
    const change = trial.propose(NO_BUMP);
    const base = trial.payload(change).pull_request.base.sha;
    const payload = { action: "checks_requested", merge_group: { head_sha: change.merge, base_sha: base } };
    const answer = await trial.job({ name: "merge_group", payload }, { checkout: change.merge });
    expect(answer.exitCode).toBe(2);
    expect(answer.summary).toContain("merge queue");
    expect(trial.comments()).toEqual([]);
  });

  it("refuses an event that it does not answer, and one that is none", async () => {
    const trial = await PullRequestTrial.begin();
    expect((await trial.job({ name: "push", payload: {} }, { checkout: "main" })).exitCode).toBe(64);
    const payload = { number: "7; rm -rf /", pull_request: {} };
    expect((await trial.job({ name: "pull_request", payload }, { checkout: "main" })).exitCode).toBe(64);
  });

  it("plans by the record that the base names, whatever the change says", async () => {
    const trial = await PullRequestTrial.begin();
    trial.remote.git("update-ref", "refs/heads/mine", trial.remote.refs()["refs/heads/main"] ?? "");
    const change = trial.propose({
      ...CHANGE,
      "roster/fleet.yaml": "version: 2\ngeneration: 2\nobserved_branch: mine\n",
    });
    await trial.own(change);
    expect(readPlanMark(trial.comments()[0] ?? "")?.observed).toBeNull();
  });
});
