import { describe, expect, it } from "vitest";
import { committed } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { type ReconcileOptions, runReconcile } from "../../src/commands/reconcile.ts";
import type { CommandResult } from "../../src/commands/result.ts";
import { nodeStatePath } from "../../src/model/observed-layout.ts";
import type { Lineage, Repository } from "../../src/ports.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { textFiles } from "../desired/text-files.ts";
import { World } from "./reconcile-world.ts";

const COMMIT = "c".repeat(40);
const FILES = (generation: number, content: string) => ({
  "roster/fleet.yaml": `version: 2\ngeneration: ${generation}\n`,
  "roster/nodes/web-01.yaml": "name: web-01\nclass: server\naddress: 192.0.2.1\nroles: [web]\n",
  "host-roles/web.yaml": `role: web\nversion: ${generation}\ndescription: Test.\nresources:\n  - { type: file, path: /etc/app, content: ${content} }\n`,
});
const MERGED: Lineage = { shallow: false, descends: true, same: false, newest: null };

/** A repository whose main holds these files. */
function repository(files: Readonly<Record<string, string>>, lineage = MERGED, commit = COMMIT): Repository {
  return {
    workingTree: async () => textFiles({}),
    at: async (ref) => (ref === commit ? textFiles(files) : undefined),
    standing: async () => {
      throw new Error("the working tree is of no concern");
    },
    main: async () => ({ branch: "main", commit }),
    lineage: async () => lineage,
  };
}

const OPTIONS: ReconcileOptions = {
  budgetMs: null,
  takeOverLock: false,
  reason: null,
  holder: "octocat@here",
  actor: "octocat",
};
let runs = 0;

async function run(world: World, from: Repository, options: Partial<ReconcileOptions> = {}, unreachable = false) {
  const transport = new MemoryTransport(world.nodes, unreachable ? [{ node: "web-01", fault: "unreachable" }] : []);
  const progress = { event: () => {}, end: () => {} };
  const { clock, secrets } = world;
  const doors = {
    repository: from,
    open: (parallel: number) => ({ runId: `command-${++runs}`, transport, secrets, clock, progress, parallel }),
    store: () => new MemoryStore(world.refs, clock),
    interrupted: () => false,
  };
  const result = await runReconcile(doors, { ...OPTIONS, ...options });
  return { result, text: result.text(PLAIN), calls: transport.calls("web-01") };
}

const codeOf = ({ document }: CommandResult) => (document as { error?: { code: string } }).error?.code;

describe("reconcile, the command", () => {
  it("carries out main, lets the lock go, leaves a board, and says 0 when nothing is due", async () => {
    const world = new World(["web-01"]);
    const { result, text } = await run(world, repository(FILES(1, "one")));
    expect([result.exitCode, world.refs.lock?.holder]).toEqual([0, null]);
    expect(text).toContain("role:web  completed  1 of 1 applied\n  web-01\n");
    expect(world.refs.observed.files.get("board.md")).toContain("`role:web v1`");
    expect(world.record.reconciled).toEqual({ v: 1, generation: 1, commit: COMMIT });
    const again = await run(world, repository(FILES(1, "one"), { ...MERGED, same: true }));
    expect([again.result.exitCode, again.calls.observe]).toEqual([0, 0]);
  });

  it("says 1 when something stands still, with what to type next", async () => {
    const world = new World(["web-01"]);
    const { result, text } = await run(world, repository(FILES(1, "one")), {}, true);
    expect(result.exitCode).toBe(1);
    expect(text).toContain("\n  web-01 (unreachable)\n");
    expect(text.match(/wave 1/g)).toHaveLength(1);
    expect(text.trimEnd().split("\n").at(-1)).toBe("to do: rollcall rollout retry role:web");
  });

  it("refuses with 2, before a node is touched, a merge that did not raise the generation", async () => {
    const world = new World(["web-01"]);
    await run(world, repository(FILES(5, "one")));
    const { result, calls, text } = await run(world, repository(FILES(5, "two"), MERGED, "d".repeat(40)));
    expect([result.exitCode, codeOf(result), calls.observe]).toEqual([2, "stale-generation", 0]);
    expect(text).toContain("rollcall generation bump");
    expect([world.refs.lock?.holder, world.record.reconciled?.commit]).toEqual([null, COMMIT]);
  });

  it("refuses with 2, before a node is touched, when what was last reconciled cannot be read", async () => {
    const world = new World(["web-01"]);
    await run(world, repository(FILES(5, "one")));
    world.refs.observed = committed(world.refs.observed, new Map([["fleet.json", "{"]]), "a broken disk");
    const { result, calls, text } = await run(world, repository(FILES(4, "old"), MERGED, "d".repeat(40)));
    expect([result.exitCode, codeOf(result), calls.observe]).toEqual([2, "record-damaged", 0]);
    expect(text).toContain("git log -p observed -- fleet.json");
    expect([world.refs.lock?.holder, world.refs.observed.files.get("fleet.json")]).toEqual([null, "{"]);
  });

  it("refuses with 2 where a newer rollcall keeps the record, and writes nothing over", async () => {
    const world = new World(["web-01"]);
    await run(world, repository(FILES(5, "one")));
    const path = nodeStatePath("web-01");
    const newer = JSON.stringify({ v: 2, node: "web-01" });
    world.refs.observed = committed(world.refs.observed, new Map([[path, newer]]), "a newer rollcall");
    const { result, calls } = await run(world, repository(FILES(6, "two"), MERGED, "d".repeat(40)));
    expect([result.exitCode, codeOf(result), calls.observe]).toEqual([2, "record-newer", 0]);
    expect(world.refs.observed.files.get(path)).toBe(newer);
  });

  it("refuses with 2 what has been rewritten, is not valid, has no main, or is locked", async () => {
    const world = new World(["web-01"]);
    await run(world, repository(FILES(1, "one")));
    const rewritten = await run(world, repository(FILES(2, "two"), { ...MERGED, descends: false }));
    expect([rewritten.result.exitCode, codeOf(rewritten.result)]).toEqual([2, "not-descending"]);
    const invalid = await run(world, repository({ "roster/fleet.yaml": "version: 2\n" }));
    expect(invalid.result.exitCode).toBe(2);
    const nowhere = await run(world, { ...repository({}), main: async () => null });
    expect([nowhere.result.exitCode, codeOf(nowhere.result)]).toEqual([2, "no-main-branch"]);
    const rival = new MemoryStore(world.refs, world.clock);
    await rival.lock({ holder: "rival", runId: "rival", leaseMs: 600_000, takeOver: null });
    const locked = await run(world, repository(FILES(2, "two")));
    expect([locked.result.exitCode, codeOf(locked.result)]).toEqual([2, "locked"]);
    const wordless = await run(world, repository(FILES(2, "two")), { takeOverLock: true });
    expect(wordless.result.exitCode).toBe(64);
    const taken = await run(world, repository(FILES(2, "two")), { takeOverLock: true, reason: "it is dead" });
    expect([taken.result.exitCode, taken.text.split("\n")[0]]).toEqual([
      0,
      "LOCK TAKEN OVER: taken from rival: it is dead",
    ]);
  });

  it("uses what main is once the lock is held, not what it was before", async () => {
    const world = new World(["web-01"]);
    const [before, after] = [repository(FILES(1, "one")), repository(FILES(2, "two"), MERGED, "d".repeat(40))];
    let asked = 0;
    const moving: Repository = {
      ...before,
      main: async () => (asked++ === 0 ? before : after).main(),
      at: async (ref) => (await before.at(ref)) ?? after.at(ref),
    };
    await run(world, moving);
    expect(world.record.reconciled).toEqual({ v: 1, generation: 2, commit: "d".repeat(40) });
  });
});
