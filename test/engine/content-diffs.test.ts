import { describe, expect, it } from "vitest";
import { debianNode, putFile } from "../../src/adapters/memory/debian-node.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { apply } from "../../src/engine/apply.ts";
import { check } from "../../src/engine/check.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import type { NodeTarget } from "../../src/model/node.ts";
import { type NodeQuestions, TEXT_LIMIT } from "../../src/model/node-question.ts";
import type { Observation } from "../../src/ports.ts";
import { FLEET, node as nodeFile, textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "./given-secrets.ts";

/** Remembers what was asked; `between` is called before the second question to a node. */
class WatchedTransport extends MemoryTransport {
  readonly asked: NodeQuestions[] = [];
  between: () => void = () => {};

  override observe(target: NodeTarget, questions: NodeQuestions): Promise<Observation> {
    if (this.asked.push(questions) === 2) this.between();
    return super.observe(target, questions);
  }
}

const SECRETS = givenSecrets({ "env:KEY": "hunter2!" });

function world(
  resources: readonly object[],
  prepare: (node: MemoryNode) => void,
  faults: "none" | "second-lost" = "none",
  node = debianNode({ name: "web-01" }),
) {
  const role = { role: "web", version: "1", description: "Test.", requires: [], resources };
  const files = {
    "roster/fleet.yaml": FLEET,
    "roster/nodes/web-01.yaml": nodeFile("web-01", "roles: [web]\nvars: { workers: '4' }\n"),
    "host-roles/web.yaml": JSON.stringify(role),
  };
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(JSON.stringify(diagnostics));
  prepare(node);
  const lost = { node: "web-01", fault: "unreachable", on: { kind: "observe", nth: 1 } } as const;
  const transport = new WatchedTransport(new Map([["web-01", node]]), faults === "none" ? [] : [lost]);
  const progress = { event: () => {}, end: () => {} };
  const clock = { now: () => new Date(0) };
  const run = { runId: "run", transport, secrets: SECRETS, clock, progress, parallel: 2 };
  return { node, transport, run, works: state.nodes.map((one) => nodeWork(state, one, null, SECRETS)) };
}

const file = (path: string, content: string, more: object = {}) => ({ type: "file", path, content, ...more });

describe("check --diff", () => {
  it("asks in one more round trip for the files that differ, and for nothing else", async () => {
    const { works, run, transport } = world(
      [
        file("/etc/a", "{{ node.vars.workers }} workers\n", { template: "true" }),
        file("/etc/same", "same\n"),
        file("/etc/new", "new\n"),
        { type: "file", path: "/etc/gone", state: "absent" },
        file("/etc/mode", "m\n", { mode: "0640" }),
        { type: "directory", path: "/srv/d" },
        { type: "env", path: "/etc/env", vars: { KEY: { secret_ref: "env:KEY" }, LOG: "info" } },
      ],
      (node) => {
        putFile(node, "/etc/a", "2 workers\n");
        putFile(node, "/etc/same", "same\n");
        putFile(node, "/etc/gone", "going\n");
        putFile(node, "/etc/mode", "m\n");
        putFile(node, "/etc/env", "KEY=hunter1\n");
      },
    );
    const { diffs, reports } = await check(works, run, { diff: true });
    expect(transport.asked.map(({ texts }) => texts)).toEqual([["/etc/env"], ["/etc/a", "/etc/gone"]]);
    expect(transport.asked[1]).toEqual({ packages: [], paths: [], units: [], texts: ["/etc/a", "/etc/gone"] });
    const shown = (diffs ?? []).map((one) => [
      one.resource,
      one.status === "text" ? one.diff.split("\n").slice(3).join("\n") : "",
    ]);
    expect(shown).toEqual([
      ["file:/etc/a", "-2 workers\n+4 workers\n"],
      ["file:/etc/new", "+new\n"],
      ["file:/etc/gone", "-going\n"],
    ]);
    expect(reports[0]?.items).toHaveLength(6);
    expect(JSON.stringify({ diffs, reports })).not.toMatch(/hunter|workers\\n-/);
  });

  it("without --diff, and where no file differs, asks once and what it always asked", async () => {
    const plain = world([file("/etc/a", "new\n")], (node) => putFile(node, "/etc/a", "old\n"));
    const result = await check(plain.works, plain.run);
    expect([plain.transport.asked.length, plain.transport.asked[0]?.texts, Object.keys(result)]).toEqual([
      1,
      [],
      ["reports", "outcomes"],
    ]);
    const same = world([file("/etc/a", "new\n")], (node) => putFile(node, "/etc/a", "new\n"));
    expect((await check(same.works, same.run, { diff: true })).diffs).toEqual([]);
    expect(same.transport.asked).toHaveLength(1);
  });

  it("leaves the reports as they are without it", async () => {
    const one = world([file("/etc/a", "new\n")], (node) => putFile(node, "/etc/a", "old\n"));
    const plain = await check(one.works, one.run);
    const { diffs: _diffs, ...rest } = await check(one.works, one.run, { diff: true });
    expect(rest).toEqual(plain);
    const { diffs: _dry, ...dry } = await apply(one.works, one.run, { dryRun: true, diff: true });
    expect(dry.reports[0]?.items).toEqual(plain.reports[0]?.items);
  });

  const withheld = { resource: "file:/etc/a", status: "withheld" };
  it.each<readonly [string, object, (node: MemoryNode) => void, object]>([
    [
      "only its owner may read, as declared",
      file("/etc/a", "x\n", { mode: "0600" }),
      (n) => putFile(n, "/etc/a", "y"),
      withheld,
    ],
    [
      "looks like a secret on the node",
      file("/etc/a", "x\n"),
      (n) => putFile(n, "/etc/a", "DB_PASSWORD=hunter2!\n"),
      withheld,
    ],
    [
      "is binary",
      file("/etc/a", "x\n"),
      (n) => putFile(n, "/etc/a", "a\0b"),
      { status: "binary", from_bytes: 3, to_bytes: 2 },
    ],
    [
      "is too large to be fetched",
      file("/etc/a", "x\n"),
      (n) => putFile(n, "/etc/a", "x".repeat(TEXT_LIMIT + 1)),
      { status: "too-large", from_bytes: TEXT_LIMIT + 1, to_bytes: 2 },
    ],
  ])("shows nothing of a file that %s", async (_what, resource, prepare, expected) => {
    const { works, run } = world([resource], prepare);
    const { diffs } = await check(works, run, { diff: true });
    expect(diffs).toMatchObject([expected]);
    expect(JSON.stringify(diffs)).not.toContain("hunter2");
  });

  it("does not even fetch what only its owner may read on the node", async () => {
    const { works, run, transport, node } = world([file("/etc/a", "x\n")], (one) => putFile(one, "/etc/a", "y\n"));
    const entry = node.files.get("/etc/a");
    if (entry?.type !== "file") throw new Error("no file");
    node.files.put("/etc/a", { ...entry, mode: "0600" });
    expect((await check(works, run, { diff: true })).diffs).toMatchObject([withheld]);
    expect(transport.asked).toHaveLength(1);
  });

  it("does not fetch what an environment file left behind", async () => {
    const env = { type: "env", path: "/etc/a", vars: { LICENCE: { secret_ref: "env:KEY" } } };
    const first = world([env], () => {});
    expect((await apply(first.works, first.run, { dryRun: false })).outcomes).toMatchObject([{ outcome: "converged" }]);
    const { works, run, transport } = world([file("/etc/a", "x\n")], () => {}, "none", first.node);
    expect((await check(works, run, { diff: true })).diffs).toMatchObject([withheld]);
    expect(transport.asked.flatMap(({ texts }) => texts)).toEqual([]);
  });

  it("fetches no more of one node than a person may want to see", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/etc/large-${index}`);
    const { works, run, transport } = world(
      paths.map((path) => file(path, "x\n")),
      (node) => {
        for (const path of paths) putFile(node, path, "y".repeat(TEXT_LIMIT));
      },
    );
    const { diffs = [] } = await check(works, run, { diff: true });
    expect(transport.asked[1]?.texts).toEqual(paths.slice(0, 16));
    expect(diffs.map(({ status }) => status)).toEqual([...Array(16).fill("text"), ...Array(4).fill("unread")]);
  });

  it("says of a file that changed in between, or of a lost node, that it was not read", async () => {
    const changed = world([file("/etc/a", "new\n")], (node) => putFile(node, "/etc/a", "old\n"));
    changed.transport.between = () => putFile(changed.node, "/etc/a", "newer\n");
    expect((await check(changed.works, changed.run, { diff: true })).diffs).toMatchObject([{ status: "unread" }]);
    const lost = world([file("/etc/a", "new\n")], (node) => putFile(node, "/etc/a", "old\n"), "second-lost");
    const { diffs, outcomes } = await check(lost.works, lost.run, { diff: true });
    expect(diffs).toMatchObject([{ status: "unread", message: expect.stringMatching(/./) }]);
    expect(outcomes).toMatchObject([{ outcome: "drift" }]);
  });

  it("has nothing to show of what stands in the way, of an observed link, or of what is only chmodded", async () => {
    const { works, run } = world([file("/etc", "x\n"), file("/etc/m", "m\n", { mode: "0600" })], (node) =>
      putFile(node, "/etc/m", "m\n"),
    );
    const { diffs, reports } = await check(works, run, { diff: true });
    expect([reports[0]?.items.length, diffs]).toEqual([2, []]);
  });
});
