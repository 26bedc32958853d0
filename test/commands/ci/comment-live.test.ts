import { describe, expect, it } from "vitest";
import { MemoryRefs } from "../../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../../src/adapters/memory/memory-store.ts";
import { memorySimulator } from "../../../src/adapters/memory/simulator.ts";
import { runCiLiveComment } from "../../../src/commands/ci/comment-live.ts";
import type { NodeTarget } from "../../../src/model/node.ts";
import type { NodeQuestions } from "../../../src/model/node-question.ts";
import { readWorkflowEvent } from "../../../src/model/workflow-event.ts";
import type { Transport } from "../../../src/ports.ts";
import { textFiles } from "../../desired/text-files.ts";
import { closeServers, trial } from "../../github/forge-fixture.ts";

closeServers();

const node = (name: string, more: string) =>
  `name: ${name}\nclass: web\nos: linux\naddress: 192.0.2.1\nroles: [edge]\n${more}`;
const role = (version: number, more: string) =>
  `role: edge\nversion: ${version}\ndescription: d\nresources:\n  - { type: directory, path: /srv/edge }\n${more}`;
const MAIN = textFiles({
  "roster/fleet.yaml": "version: 2\ngeneration: 7\nobserved_branch: record\n",
  "roster/nodes/same.yaml": node("same", "labels: { a: b }\n"),
  "roster/nodes/moved.yaml": node("moved", ""),
  "roster/nodes/behind.yaml": node("behind", "jump: moved\n"),
  "host-roles/edge.yaml": role(1, ""),
});
/** What somebody wrote who would like to see keys, secrets and files. */
const CHANGE = textFiles({
  "roster/fleet.yaml": "version: 2\ngeneration: 8\nobserved_branch: theirs\nrollout: { parallel: 900 }\n",
  "roster/nodes/same.yaml": node("same", "labels: { a: c }\n"),
  "roster/nodes/moved.yaml": node("moved", "").replace("192.0.2.1", "198.51.100.66"),
  "roster/nodes/behind.yaml": node("behind", "jump: moved\n"),
  "roster/nodes/new.yaml": node("new", ""),
  "host-roles/edge.yaml": role(
    2,
    '  - { type: file, path: /etc/shadow, content: "x" }\n' +
      '  - { type: env, path: /root/keys.env, vars: { KEY: { secret_ref: "env:DEPLOY_KEY" } } }\n',
  ),
});
const BASE = "b".repeat(40);
const MERGE = "d".repeat(40);

async function scene({ body = "/rollcall plan --live", role: permission = "write", headSha = "a".repeat(40) } = {}) {
  const { forge, world } = await trial();
  world.person("hubot", permission);
  const pull = world.pull("mallory", { headRepo: "mallory/fleet", headSha });
  const comment = world.comment(pull.number, "hubot", body);
  const event = readWorkflowEvent("issue_comment", {
    action: "created",
    issue: { number: pull.number, pull_request: {} },
    comment: { id: comment.id, body, user: { login: "hubot", type: "User" } },
  });
  const machine = memorySimulator.imagine({
    ...{ name: "same", machineId: null, packages: [], folders: ["/srv", "/etc", "/root"], files: ["/etc/shadow"] },
    ...{ units: [], running: [], users: [], managers: [], groups: [] },
  });
  const inner = memorySimulator.transport(new Map([["same", machine]]), []);
  const asked: { target: NodeTarget; questions: NodeQuestions }[] = [];
  const changed: string[] = [];
  const transport: Transport = {
    observe: (target, questions) => {
      asked.push({ target, questions });
      return inner.observe(target, questions);
    },
    change: (target) => {
      changed.push(target.name);
      throw new Error("nothing is changed");
    },
    close: async () => {},
  };
  const resolved: string[] = [];
  const secrets = {
    resolve: async (reference: string) => {
      resolved.push(reference);
      return { kind: "value" as const, value: "the-key-of-the-nodes" };
    },
    hash: () => "hash",
    redact: (text: string) => text,
  };
  const clock = { now: () => new Date("2026-11-30T12:00:00Z") };
  const progress = { event: () => {}, end: () => {} };
  const branches: string[] = [];
  const refs = new MemoryRefs();
  const result = await runCiLiveComment({
    ...{ event, forge, forgeProblem: "", clock, simulator: memorySimulator },
    run: {
      ...{ repository: "acme/fleet", url: null, actor: "hubot", summary: async () => {}, output: async () => {} },
      ...{ document: async () => {}, annotate: () => {}, group: () => {}, mask: () => {} },
    },
    open: (parallel) => ({ runId: "live", transport, secrets, clock, progress, parallel }),
    store: (branch) => {
      branches.push(branch);
      return new MemoryStore(refs, clock);
    },
    history: { commit: async (id) => ({ id, firstParent: null }) },
    commits: { pullRequest: async () => ({ merge: MERGE, base: BASE, head: "a".repeat(40) }) },
    repository: {
      main: async () => ({ branch: "origin/main", commit: BASE }),
      at: async (ref) => (ref === MERGE ? CHANGE : MAIN),
      workingTree: async () => MAIN,
      standing: async () => ({
        git: true,
        head: BASE,
        dirty: [],
        mainBranch: "origin/main",
        merged: true,
        behind: false,
      }),
      lineage: async () => {
        throw new Error("nobody asks");
      },
    },
  });
  const answers = [...world.comments.values()].filter(({ author }) => author.endsWith("[bot]")).map((one) => one.body);
  return { result, asked, changed, resolved, branches, answers, refs };
}

describe("ci comment --live", () => {
  it("connects only where main says, and says what was left out", async () => {
    const { result, asked, changed, answers } = await scene();
    expect(result.exitCode).toBe(0);
    expect([...new Set(asked.map(({ target }) => `${target.name} ${target.address}`))]).toEqual(["same 192.0.2.1"]);
    expect(changed).toEqual([]);
    expect(answers).toHaveLength(1);
    for (const name of ["moved", "behind"])
      expect(answers[0]).toContain(`- \`${name}\`: this pull request changes how it is reached`);
    expect(answers[0]).toContain("- `new`: only this pull request has it");
    expect(answers[0]).toContain("1 of 4 nodes read just now");
  });

  it("looks up no secret, and reads the bytes of no file that main does not read", async () => {
    const { asked, resolved, answers } = await scene();
    expect(resolved).toEqual([]);
    expect(asked.flatMap(({ questions }) => questions.paths.map(({ path }) => path))).toContain("/etc/shadow");
    expect(asked.flatMap(({ questions }) => questions.texts)).toEqual([]);
    expect(answers[0]).not.toContain("the-key");
  });

  it("takes the record that main names, and writes nothing to it", async () => {
    const { branches, refs } = await scene();
    expect([...new Set(branches)]).toEqual(["record"]);
    expect(refs.observed.commits).toEqual([]);
  });

  it("asks again who may", async () => {
    const { result, asked, answers } = await scene({ role: "read" });
    expect(result.exitCode).toBe(0);
    expect(asked).toEqual([]);
    expect(answers).toEqual([expect.stringContaining("Only people with write permission")]);
  });

  it("plans nothing that is not the newest commit", async () => {
    const { result, asked, answers } = await scene({ headSha: "e".repeat(40) });
    expect(result.exitCode).toBe(1);
    expect(asked).toEqual([]);
    expect(answers).toEqual([expect.stringContaining("its trial merge is of aaaaaaa")]);
  });

  it("answers no other command", async () => {
    const { result, asked, answers } = await scene({ body: "/rollcall plan" });
    expect(result.exitCode).toBe(0);
    expect([asked, answers]).toEqual([[], []]);
  });
});
