import { describe, expect, it } from "vitest";
import { MemoryRefs } from "../../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../../src/adapters/memory/memory-store.ts";
import { memorySimulator } from "../../../src/adapters/memory/simulator.ts";
import { type CiCommentDoors, runCiComment } from "../../../src/commands/ci/comment.ts";
import { loadDesired } from "../../../src/desired/load-desired.ts";
import { readWorkflowEvent } from "../../../src/model/workflow-event.ts";
import { appendEvents } from "../../../src/plan/append-events.ts";
import type { ObservedFiles } from "../../../src/ports.ts";
import { PLAIN } from "../../../src/render/paint.ts";
import { textFiles } from "../../desired/text-files.ts";
import { closeServers, trial } from "../../github/forge-fixture.ts";
import { begin, created, fail, paused, STARTED, unplaced } from "../../plan/rollout-log.ts";

closeServers();

const FILES = textFiles({
  "roster/fleet.yaml": "version: 2\ngeneration: 7\n",
  "roster/nodes/a.yaml": "name: a\nclass: web\nos: linux\naddress: 192.0.2.1\nroles: [edge]\n",
  "host-roles/edge.yaml":
    "role: edge\nversion: 1\ndescription: d\nresources:\n  - { type: directory, path: /srv/edge }\n",
});
const DIGEST = loadDesired(FILES).state?.roles.get("edge")?.digest ?? "";
const clock = { now: () => new Date("2026-11-30T12:00:00Z") };
const PERMISSIONS = ["issues:write", "pull_requests:write", "contents:read", "metadata:read", "actions:write"];

function snapshotOf({ observed: { files } }: MemoryRefs): ObservedFiles {
  return { commit: null, paths: [...files.keys()].sort(), read: (path) => files.get(path) };
}

/** A rollout that stands at a gate, and somebody who says something under pull request 1. */
async function scene(body: string, { role = "write", type = "User", action = "created" } = {}) {
  const { forge, world, github } = await trial({ permissions: PERMISSIONS });
  const refs = new MemoryRefs();
  const log = [created([["a"], ["b"]], { digest: DIGEST }), STARTED, begin("a", 0), fail("a"), paused()].map(unplaced);
  const writes = appendEvents(snapshotOf(refs), "role:edge", DIGEST, "run-1", log) as Map<string, string>;
  refs.observed = { files: writes, commits: [] };
  world.person("hubot", role, type as "User");
  const pull = world.pull("octocat");
  const comment = world.comment(pull.number, "hubot", body);
  const event = readWorkflowEvent("issue_comment", {
    action,
    issue: { number: pull.number, pull_request: {} },
    comment: { id: comment.id, body, user: { login: "hubot", type } },
    sender: { login: "hubot", type },
  });
  const outputs = new Map<string, string>();
  const run = {
    ...{ repository: "acme/fleet", url: "https://github.com/acme/fleet/actions/runs/5", actor: "hubot" },
    ...{ summary: async () => {}, document: async () => {}, annotate: () => {}, group: () => {}, mask: () => {} },
    output: async (name: string, value: string) => void outputs.set(name, value),
  };
  const doors: CiCommentDoors = {
    ...{ event, run, forge, forgeProblem: "", pages: null, clock, simulator: memorySimulator },
    store: () => new MemoryStore(refs, clock),
    history: { commit: async () => undefined },
    commits: {
      pullRequest: async () => ({ problem: "it has a conflict" }),
      fetch: async () => false,
      observed: async () => undefined,
    },
    repository: {
      main: async () => ({ branch: "origin/main", commit: "c".repeat(40) }),
      at: async () => FILES,
      workingTree: async () => FILES,
      standing: async () => ({ git: true, head: null, dirty: [], mainBranch: null, merged: false, behind: false }),
      lineage: async () => {
        throw new Error("nobody asks");
      },
    },
  };
  return {
    ...{ refs, world, github, outputs, doors, comment, pull },
    say: () => runCiComment(doors, { scheduleMs: null }),
    answers: () =>
      [...world.comments.values()].filter(({ author }) => author === "github-actions[bot]").map((one) => one.body),
    reactions: () => world.reactions.map(({ content }) => content),
    signals: () => refs.observed.commits.map(({ subject }) => subject),
  };
}

describe("ci comment", () => {
  it("records a signal by who wrote it, answers once, and starts the merge run", async () => {
    const { say, answers, reactions, signals, world, refs, comment } = await scene(
      '/rollcall resume role:edge --reason "looked"',
    );
    expect((await say()).exitCode).toBe(0);
    expect(signals()).toEqual(["chore(rollout): resume role:edge"]);
    const segment = [...refs.observed.files].find(([path]) => path.endsWith(`/comment-${comment.id}.jsonl`))?.[1] ?? "";
    expect(JSON.parse(segment)).toMatchObject({ actor: "hubot", signal: "resume", reason: "looked" });
    expect(reactions()).toEqual(["eyes", "+1"]);
    expect(answers()).toHaveLength(1);
    expect(answers()[0]).toMatch(new RegExp(`^<!-- rollcall:answer to=${comment.id} -->\n`));
    expect(answers()[0]).toContain("paused → running");
    expect(world.dispatches).toMatchObject([{ workflow: "reconcile.yml", ref: "main" }]);
  });

  it("is one signal and one answer, however often the event is delivered", async () => {
    const { say, answers, signals, world } = await scene('/rollcall force role:edge --reason "seen"');
    await say();
    expect((await say()).document).toMatchObject({ answered: false });
    // The answer was lost: the word is not said again.
    for (const one of [...world.comments.values()].filter(({ author }) => author.endsWith("[bot]")))
      world.comments.delete(one.id);
    expect((await say()).exitCode).toBe(0);
    expect(signals()).toHaveLength(1);
    expect(answers()).toEqual([expect.stringContaining("on the record already")]);
  });

  it("starts nothing for a pause", async () => {
    const { say, world } = await scene("/rollcall cancel role:edge");
    expect((await say()).exitCode).toBe(0);
    expect(world.dispatches).toEqual([]);
  });

  it.each([
    ["/rollcall pause role:edgy", "did you mean role:edge?"],
    ["/rollcall start role:edge", "it is paused"],
    ["/rollcall rollback role:edge", "rollcall revert role:edge"],
    ["/rollcall approve-canary role:edge", "waits for no approval"],
    ["/rollcall force role:edge", "needs --reason"],
    ["/rollcall puase role:edge", "did you mean pause?"],
  ])("answers %j with what to do, and records nothing", async (body, text) => {
    const { say, answers, reactions, signals } = await scene(body);
    const { exitCode } = await say();
    expect([2, 64]).toContain(exitCode);
    expect(answers()).toEqual([expect.stringContaining(text)]);
    expect(reactions()).toEqual(["eyes", "-1"]);
    expect(signals()).toEqual([]);
  });

  it.each(["none", "read", "triage"])("does nothing for somebody with %s", async (role) => {
    const { say, answers, reactions, signals, outputs } = await scene("/rollcall plan --live", { role });
    expect((await say()).exitCode).toBe(0);
    expect(answers()).toEqual([expect.stringContaining("Only people with write permission")]);
    expect(reactions()).toEqual(["-1"]);
    expect(signals()).toEqual([]);
    expect(outputs.size).toBe(0);
  });

  it.each([
    ["a bot's", "/rollcall pause role:edge", { type: "Bot" }],
    ["an edited one", "/rollcall pause role:edge", { action: "edited" }],
    ["talk", "see /rollcall pause role:edge", {}],
  ])("hears nothing in %s", async (_what, body, options) => {
    const { say, github, signals } = await scene(body, options);
    expect((await say()).exitCode).toBe(0);
    expect(github.requests).toEqual([]);
    expect(signals()).toEqual([]);
  });

  it("lets the next job answer a live plan", async () => {
    const { say, answers, outputs } = await scene("/rollcall plan --live", { role: "maintain" });
    expect((await say()).exitCode).toBe(0);
    expect(outputs.get("live")).toBe("true");
    expect(answers()).toEqual([]);
  });

  it("shows the table, and nothing of a comment in it", async () => {
    const { say, answers } = await scene("/rollcall help");
    await say();
    expect(answers()[0]).toContain("| `/rollcall pause UNIT` |");
  });

  it("says why there is no new plan", async () => {
    const { say, answers } = await scene("/rollcall plan");
    expect((await say()).exitCode).toBe(1);
    expect(answers()).toEqual([expect.stringContaining("it has a conflict")]);
  });

  it.each([
    ["nobody can say who may", "repos/get-collaborator-permission-level", 0],
    ["nobody can say whether it was answered", "issues/list-comments", 0],
    ["the answer cannot be posted", "issues/create-comment", 1],
  ])("is red when %s, and its last line says what to do", async (_what, on, said) => {
    const { say, github, signals } = await scene("/rollcall resume role:edge");
    github.fault({ on, times: 20, kind: "answer", status: 500, message: "broken" });
    const result = await say();
    expect(result.exitCode).toBe(1);
    expect(result.text(PLAIN).trim().split("\n").at(-1)).toMatch(/run this job again|what was done stands above/);
    expect(signals()).toHaveLength(said);
  });

  it("records the signal also when the merge run cannot be started, and says so", async () => {
    const { say, github, answers, signals } = await scene("/rollcall retry role:edge");
    github.fault({
      on: "actions/create-workflow-dispatch",
      times: 9,
      kind: "answer",
      status: 403,
      message: "Resource not accessible",
    });
    expect((await say()).exitCode).toBe(0);
    expect(signals()).toHaveLength(1);
    expect(answers()[0]).toContain("could not be started");
  });
});
