import { expect, it } from "vitest";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { runApply } from "../../src/commands/apply.ts";
import { WHOLE_FLEET } from "../../src/commands/criteria.ts";
import { runReconcile } from "../../src/commands/reconcile.ts";
import type { CommandResult } from "../../src/commands/result.ts";
import type { Lineage, Repository } from "../../src/ports.ts";
import { textFiles } from "../desired/text-files.ts";
import { World } from "./reconcile-world.ts";

const FILES = (generation: number, node = "") => ({
  "roster/fleet.yaml": `version: 2\ngeneration: ${generation}\n`,
  "roster/nodes/web-01.yaml": `name: web-01\nclass: server\naddress: 192.0.2.1\nroles: [web]\n${node}`,
  "host-roles/web.yaml": `role: web\nversion: ${generation}\ndescription: Test.\nresources:\n  - { type: file, path: /etc/app, content: "${generation}" }\n`,
});
const AFTER: Lineage = { shallow: false, descends: true, same: false, newest: null };

/** A clean checkout of main at this commit. */
function checkout(files: Readonly<Record<string, string>>, commit: string, lineage = AFTER): Repository {
  return {
    workingTree: async () => textFiles(files),
    at: async (ref) => (ref === commit ? textFiles(files) : undefined),
    standing: async () => ({ git: true, head: commit, dirty: [], mainBranch: "main", merged: true, behind: false }),
    main: async () => ({ branch: "main", commit }),
    lineage: async () => lineage,
  };
}

let runs = 0;

function doorsOf(world: World) {
  const transport = new MemoryTransport(world.nodes, []);
  const progress = { event: () => {}, end: () => {} };
  const { clock, secrets } = world;
  const open = (parallel: number) => ({ runId: `apply-${++runs}`, transport, secrets, clock, progress, parallel });
  return { open, store: () => new MemoryStore(world.refs, clock) };
}

async function applied(world: World, repository: Repository): Promise<CommandResult> {
  const { open, store } = doorsOf(world);
  const options = { ...WHOLE_FLEET, dryRun: false, diff: false, allowUnmerged: false, reason: null };
  return runApply(repository, open, options, { store, actor: "octocat" });
}

async function reconciled(world: World, repository: Repository): Promise<CommandResult> {
  const doors = { repository, ...doorsOf(world), interrupted: () => false };
  const options = { budgetMs: null, takeOverLock: false, reason: null, holder: "octocat@here", actor: "octocat" };
  return runReconcile(doors, options);
}

it("refuses a main that was taken back behind what was last reconciled, and touches nothing", async () => {
  const world = new World(["web-01"]);
  expect((await reconciled(world, checkout(FILES(2), "b".repeat(40)))).exitCode).toBe(0);
  const rewound = checkout(FILES(1), "a".repeat(40), { ...AFTER, descends: false });
  const result = await applied(world, rewound);
  expect(result).toMatchObject({ exitCode: 2, document: { error: { code: "not-descending" } } });
  const entry = world.nodes.get("web-01")?.files.get("/etc/app");
  expect(entry?.type === "file" && new TextDecoder().decode(entry.content.bytes())).toBe("2");
  expect((await applied(world, checkout(FILES(3), "c".repeat(40)))).exitCode).toBe(0);
});

it.each([
  ["lacks the history to tell", 3, { shallow: true, descends: false }, "shallow-clone"],
  ["left the generation where it was", 2, {}, "stale-generation"],
] as const)(
  "goes through no door that reconcile keeps shut: a clone that %s",
  async (_what, generation, lineage, code) => {
    const world = new World(["web-01"]);
    expect((await reconciled(world, checkout(FILES(2), "b".repeat(40)))).exitCode).toBe(0);
    const merged = checkout(FILES(generation), "c".repeat(40), { ...AFTER, ...lineage });
    expect(await applied(world, merged)).toMatchObject({ exitCode: 2, document: { error: { code } } });
  },
);

it.each([
  ["declines", 'declines: [{ unit: "role:web", reason: "no", by: octocat, at: 2026-05-06T10:00:00Z }]\n'],
  ["is disabled", "enabled: false\n"],
])("is not green when everybody %s: nobody was turned to", async (_what, words) => {
  expect((await applied(new World(["web-01"]), checkout(FILES(1, words), "a".repeat(40)))).exitCode).toBe(1);
});
