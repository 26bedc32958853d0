import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WorkflowEvent } from "./event.ts";
import { EVENTS } from "./events.ts";
import { fleetCopy } from "./fleet-copies.ts";
import { type RunResult, runWorkflow, type WorkflowTrial } from "./run-workflow.ts";
import { staticProblems } from "./static-checks.ts";
import { workflowOf } from "./workflow-file.ts";

const FILES = ["pull-request", "reconcile", "audit", "comment"] as const;
type File = (typeof FILES)[number];

/** In the place of the built controller: says how it was called, and ends as the trial wants. */
const STAND_IN = `
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const { ROLLCALL_SSH_KEY, GITHUB_TOKEN, GITHUB_OUTPUT, ROLLCALL_ACCEPT_ESCALATION, TRIAL_EXIT = "0", TRIAL_LIVE } = process.env;
const words = process.argv.slice(2);
const folder = words[words.indexOf("--output") + 1];
words[words.indexOf("--output") + 1] = "FOLDER";
const change = existsSync(join(words[1], "roster/change.yaml"));
console.log("call " + JSON.stringify({ words, key: ROLLCALL_SSH_KEY !== undefined, token: GITHUB_TOKEN !== "", change, whose: "WHOSE", accept: ROLLCALL_ACCEPT_ESCALATION }));
writeFileSync(join(folder, "plan.json"), "{}");
if (TRIAL_LIVE !== undefined) appendFileSync(GITHUB_OUTPUT, "live=" + TRIAL_LIVE + "\\n");
process.exitCode = Number(TRIAL_EXIT);
`;

let remote: string;
let main: string;
let merge: string;
beforeAll(() => {
  remote = mkdtempSync(join(tmpdir(), "workflow-fleet-"));
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...words], {
      cwd: remote,
      encoding: "utf8",
    }).trim();
  git("init", "--quiet", "-b", "main");
  git("config", "uploadpack.allowAnySHA1InWant", "true");
  cpSync(".github/actions", join(remote, ".github/actions"), { recursive: true });
  const built = (whose: string) => {
    mkdirSync(join(remote, "dist"), { recursive: true });
    writeFileSync(join(remote, "dist/main.js"), STAND_IN.replace("WHOSE", whose));
    writeFileSync(join(remote, "package.json"), '{"type":"module"}');
  };
  built("main");
  git("add", ".");
  git("commit", "--quiet", "-m", "main");
  main = git("rev-parse", "HEAD");
  git("checkout", "--quiet", "-b", "topic");
  // The pull request brings a controller of its own, and an action of its own.
  built("pull request");
  writeFileSync(join(remote, ".github/actions/rollcall/run.sh"), "echo the pull request ran its own script\n");
  mkdirSync(join(remote, "roster"));
  writeFileSync(join(remote, "roster/change.yaml"), "");
  git("add", ".");
  git("commit", "--quiet", "-m", "change");
  git("checkout", "--quiet", "--detach", "main");
  git("merge", "--quiet", "--no-ff", "-m", "merge", "topic");
  merge = git("rev-parse", "HEAD");
  git("update-ref", "refs/pull/7/merge", merge);
  git("checkout", "--quiet", "main");
});
afterAll(() => rmSync(remote, { recursive: true }));

const shaOf = (event: WorkflowEvent) => (event.name === "pull_request" || event.name === "merge_group" ? merge : main);

function play(file: File, event: WorkflowEvent, trial: Partial<WorkflowTrial> = {}): Promise<RunResult> {
  const workflow = workflowOf(`${file}.yml`, readFileSync(`.github/workflows/${file}.yml`, "utf8"));
  const environmentSecrets = { rollcall: { ROLLCALL_SSH_KEY: "the-key-of-the-nodes" } };
  return runWorkflow(workflow, { remote, environmentSecrets, ...trial, event: { ...event, sha: shaOf(event) } });
}

const conclusions = (run: RunResult) =>
  Object.fromEntries(Object.values(run.jobs).map(({ id, conclusion }) => [id, conclusion]));

function callOf(run: RunResult, job: string): Record<string, unknown> {
  const line = run.jobs[job]?.log.split("\n").find((one) => one.startsWith("call "));
  if (line === undefined) throw new Error(`no call in ${run.jobs[job]?.log}`);
  return JSON.parse(line.slice("call ".length));
}

describe("pull-request.yml", () => {
  it.each([
    ["a pull request", EVENTS.pullRequest],
    ["a fork's", EVENTS.forkPullRequest],
    ["a merge queue", EVENTS.mergeGroup],
  ])("plans %s with main's code and without the key", async (_what, event) => {
    const run = await play("pull-request", event);
    expect(conclusions(run)).toEqual({ plan: "success", rollcall: "success" });
    expect(callOf(run, "plan")).toEqual({
      words: ["-C", "fleet", "ci", "pull-request", "--output", "FOLDER", "--schedule", "1h"],
      ...{ key: false, token: true, change: true, whose: "main" },
    });
    expect(run.jobs.plan?.log).not.toContain("its own script");
  });

  it.each(["2", "1", "70"])("ends red with the required job when the plan ends with %s", async (code) => {
    const run = await play("pull-request", EVENTS.pullRequest, { environment: { TRIAL_EXIT: code } });
    expect(conclusions(run)).toEqual({ plan: "failure", rollcall: "failure" });
    expect(run.jobs.rollcall?.log).toContain('the job "plan" says why');
    expect(run.jobs.plan?.steps.at(-1)).toMatchObject({ name: "Keep the full plan", conclusion: "success" });
  });

  it("ends red when the plan was skipped, which GitHub itself counts as passed", async () => {
    const text = readFileSync(".github/workflows/pull-request.yml", "utf8").replace(
      "  plan:\n",
      `  plan:\n    if: \${{ false }}\n`,
    );
    const event = { ...EVENTS.pullRequest, sha: merge };
    const run = await runWorkflow(workflowOf("pull-request.yml", text), { event, remote });
    expect(conclusions(run)).toEqual({ plan: "skipped", rollcall: "failure" });
  });

  it("gives way to a newer push of the same pull request alone", async () => {
    const { concurrency } = await play("pull-request", EVENTS.pullRequest);
    expect(concurrency).toEqual({ group: "rollcall-pull-request-7", "cancel-in-progress": true });
  });

  it("runs for nothing else", async () => {
    for (const event of [EVENTS.push, EVENTS.issueComment, EVENTS.schedule])
      expect((await play("pull-request", event)).started).toBe(false);
  });
});

describe("reconcile.yml", () => {
  it.each([
    ["a push", EVENTS.push],
    ["the clock", EVENTS.schedule],
    ["a dispatch", EVENTS.workflowDispatch],
  ])("runs for %s, with the key", async (_what, event) => {
    const run = await play("reconcile", event);
    expect(conclusions(run)).toEqual({ reconcile: "success" });
    expect(callOf(run, "reconcile")).toMatchObject({
      words: ["-C", ".", "ci", "reconcile", "--output", "FOLDER", "--budget", "50m"],
      ...{ key: true, whose: "main" },
    });
    expect(run.concurrency).toEqual({ group: "rollcall-reconcile", queue: "max" });
  });

  it("takes a person's reason as data", async () => {
    const accept_escalation = '"; touch /pwned; $(id) `id`';
    const event = {
      ...EVENTS.workflowDispatch,
      payload: { ...EVENTS.workflowDispatch.payload, inputs: { accept_escalation } },
    };
    expect(callOf(await play("reconcile", event), "reconcile")).toMatchObject({ accept: accept_escalation });
  });

  it("is red as the run was, and keeps the reports all the same", async () => {
    const run = await play("reconcile", EVENTS.push, { environment: { TRIAL_EXIT: "1" } });
    expect(conclusions(run)).toEqual({ reconcile: "failure" });
    expect(run.jobs.reconcile?.steps.at(-1)).toMatchObject({ name: "Keep the full reports", conclusion: "success" });
  });

  it("is not started by a pull request or another branch", async () => {
    expect((await play("reconcile", EVENTS.pullRequest)).started).toBe(false);
    expect((await play("reconcile", { ...EVENTS.push, ref: "refs/heads/topic" })).started).toBe(false);
  });
});

describe("audit.yml", () => {
  it.each([EVENTS.schedule, EVENTS.workflowDispatch])("runs for $name, with the key", async (event) => {
    const run = await play("audit", event, { environment: { TRIAL_EXIT: "4" } });
    expect(conclusions(run)).toEqual({ audit: "failure" });
    expect(callOf(run, "audit")).toMatchObject({ words: ["-C", ".", "ci", "audit", "--output", "FOLDER"], key: true });
  });
});

describe("comment.yml", () => {
  const comment = (body: string): WorkflowEvent => ({
    ...EVENTS.issueComment,
    payload: { ...EVENTS.issueComment.payload, comment: { id: 1001, body, user: { login: "octocat" } } },
  });

  it("hears a command without the key", async () => {
    const run = await play("comment", comment("/rollcall pause role:edge; $(id) `id`"));
    expect(conclusions(run)).toEqual({ command: "success", live: "skipped", fork: "skipped" });
    expect(callOf(run, "command")).toMatchObject({
      words: ["-C", ".", "ci", "comment", "--output", "FOLDER", "--schedule", "1h"],
      key: false,
      whose: "main",
    });
    expect(run.concurrency).toEqual({ group: "rollcall-comment-7", queue: "max" });
  });

  it("reads nodes only after the first job has allowed it", async () => {
    const asked = comment("/rollcall plan --live");
    const live = await play("comment", asked, { environment: { TRIAL_LIVE: "true" } });
    expect(conclusions(live)).toEqual({ command: "success", live: "success", fork: "skipped" });
    expect(callOf(live, "live")).toMatchObject({
      words: ["-C", ".", "ci", "comment", "--output", "FOLDER", "--live"],
      key: true,
      whose: "main",
    });
    const denied = await play("comment", asked);
    expect(conclusions(denied)).toEqual({ command: "success", live: "skipped", fork: "skipped" });
    const failed = await play("comment", asked, { environment: { TRIAL_LIVE: "true", TRIAL_EXIT: "1" } });
    expect(conclusions(failed)).toEqual({ command: "failure", live: "skipped", fork: "skipped" });
  });

  it("does nothing for talk, or for an edited comment", async () => {
    expect(conclusions(await play("comment", comment("what does /rollcall do?")))).toEqual({
      command: "skipped",
      live: "skipped",
      fork: "skipped",
    });
    const edited = comment("/rollcall pause role:edge");
    expect((await play("comment", { ...edited, payload: { ...edited.payload, action: "edited" } })).started).toBe(
      false,
    );
  });

  it("posts for forks and bots, after their run, without the key", async () => {
    const run = await play("comment", EVENTS.workflowRun);
    expect(conclusions(run)).toEqual({ command: "skipped", live: "skipped", fork: "success" });
    expect(callOf(run, "fork")).toMatchObject({
      words: ["-C", ".", "ci", "pull-request", "--output", "FOLDER", "--from-run", "--schedule", "1h"],
      key: false,
      whose: "main",
    });
    const { workflow_run, ...rest } = EVENTS.workflowRun.payload;
    const own = { ...workflow_run, head_repository: { full_name: "acme/fleet" }, actor: { login: "octocat" } };
    const ended = (change: object): WorkflowEvent => ({
      ...EVENTS.workflowRun,
      payload: { ...rest, workflow_run: { ...own, ...change } },
    });
    expect(conclusions(await play("comment", ended({}))).fork).toBe("skipped");
    expect(conclusions(await play("comment", ended({ actor: { login: "dependabot[bot]" } }))).fork).toBe("success");
    expect(conclusions(await play("comment", ended({ event: "merge_group" }))).fork).toBe("skipped");
  });
});

describe("the action", () => {
  it("refuses a verb that it does not have, and runs nothing", async () => {
    const text = readFileSync(".github/workflows/audit.yml", "utf8").replace("command: audit", "command: audit --help");
    const run = await runWorkflow(workflowOf("audit.yml", text), { event: { ...EVENTS.schedule, sha: main }, remote });
    expect(conclusions(run)).toEqual({ audit: "failure" });
    expect(run.jobs.audit?.log).toContain("there is no verb");
    expect(run.jobs.audit?.log).not.toContain("call ");
  });
});

describe("docs/github/workflows", () => {
  it.each(FILES)("has %s.yml for fleet repositories, the same with the action by reference", async (file) => {
    const copy = fleetCopy(readFileSync(`.github/workflows/${file}.yml`, "utf8"));
    await expect(copy).toMatchFileSnapshot(`../../docs/github/workflows/${file}.yml`);
    expect(await staticProblems(`fleet/.github/workflows/${file}.yml`, copy)).toEqual([]);
    expect(copy).not.toMatch(/uses: \.\//);
    expect(copy).toContain("uses: OWNER/rollcall/.github/actions/rollcall@COMMIT");
  });

  it.each(FILES)("has a %s.yml that runs with the action from elsewhere", async (file) => {
    const copy = fleetCopy(readFileSync(`.github/workflows/${file}.yml`, "utf8"));
    const events = {
      "pull-request": EVENTS.forkPullRequest,
      reconcile: EVENTS.push,
      audit: EVENTS.schedule,
      comment: EVENTS.workflowRun,
    };
    const event = { ...events[file], sha: shaOf(events[file]) };
    const elsewhere = mkdtempSync(join(tmpdir(), "workflow-action-"));
    try {
      cpSync(".github/actions", join(elsewhere, ".github/actions"), { recursive: true });
      mkdirSync(join(elsewhere, "dist"));
      writeFileSync(join(elsewhere, "dist/main.js"), STAND_IN.replace("WHOSE", "pinned"));
      writeFileSync(join(elsewhere, "package.json"), '{"type":"module"}');
      const actions = { "OWNER/rollcall/.github/actions/rollcall": join(elsewhere, ".github/actions/rollcall") };
      const run = await runWorkflow(workflowOf(`${file}.yml`, copy), { event, remote, actions });
      expect(run.conclusion).toBe("success");
      const job = Object.values(run.jobs).find(({ log }) => log.includes("call "))?.id ?? "";
      expect(callOf(run, job)).toMatchObject({ whose: "pinned", change: file === "pull-request" });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});
