import { describe, expect, it } from "vitest";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import type { Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryRefs, snapshot } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { applyRecorded } from "../../src/engine/apply-recorded.ts";
import { Ledger } from "../../src/engine/ledger.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import { textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "./given-secrets.ts";
import { runContext } from "./run-in-memory.ts";

/** Three servers and a desktop: the canary is a server, the second look the desktop. */
const CLASSES = { a: "server", b: "server", c: "server", d: "desktop" };
const NAMES = Object.keys(CLASSES);
const COMMIT = "c".repeat(40);
const SITE = "/etc/site";

function desired(
  content: string,
  { nodes = {}, risk = "risky" }: { nodes?: Readonly<Record<string, object>>; risk?: string } = {},
): DesiredState {
  const role = (name: string, path: string, text: string, of: string) =>
    JSON.stringify({
      role: name,
      version: "1",
      description: "Test.",
      risk: of,
      resources: [{ type: "file", path, content: text }],
    });
  const files: Record<string, string> = {
    "roster/fleet.yaml": JSON.stringify({ version: "2", generation: "7" }),
    "host-roles/base.yaml": role("base", "/etc/base", "base\n", "safe"),
    "host-roles/web.yaml": role("web", SITE, content, risk),
  };
  for (const [index, [name, ofClass]] of Object.entries(CLASSES).entries()) {
    const own = {
      name,
      class: ofClass,
      address: `192.0.2.${index + 1}`,
      roles: ["base", "web"],
      ...nodes[name as "a"],
    };
    files[`roster/nodes/${name}.yaml`] = JSON.stringify(own);
  }
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(JSON.stringify(diagnostics));
  return state;
}

class World {
  readonly fleet = new Map<string, MemoryNode>(NAMES.map((name) => [name, debianNode({ name })]));
  readonly refs = new MemoryRefs();

  async apply(
    state: DesiredState,
    names: readonly string[] = NAMES,
    more: {
      faults?: readonly Fault[];
      store?: readonly StoreFault[];
      named?: boolean;
      commit?: null;
      roles?: string[];
    } = {},
  ) {
    const run = runContext(new MemoryTransport(this.fleet, more.faults));
    const store = new MemoryStore(this.refs, run.clock, more.store);
    const answer = await store.lock({ holder: "t", runId: run.runId, leaseMs: 600_000, takeOver: null });
    if (answer.kind === "refused") throw new Error(answer.message);
    const { lock } = answer;
    const context = {
      runId: run.runId,
      actor: "t",
      clock: run.clock,
      secrets: givenSecrets(),
      lock,
      nodes: new Set(NAMES),
    };
    const only = more.roles === undefined ? null : new Set(more.roles);
    const chosen = state.nodes.filter(({ name }) => names.includes(name));
    const works = chosen.map((node) => nodeWork(state, node, only, givenSecrets()));
    const result = await applyRecorded(
      {
        state,
        secrets: givenSecrets(),
        works,
        named: new Set(more.named === true ? names : []),
        commit: more.commit === null ? null : COMMIT,
        actor: "t",
        ledger: await Ledger.open(store, context),
      },
      { ...run, lock },
    );
    await lock.release();
    return result;
  }

  async applied(...words: Parameters<World["apply"]>) {
    const result = await this.apply(...words);
    if (result.kind === "refused") throw new Error("refused");
    return { ...result, said: result.outcomes.map(({ node, outcome }) => `${node} ${outcome}`) };
  }

  site(node: string, path = SITE): string | null {
    const entry = this.fleet.get(node)?.files.get(path);
    return entry?.type === "file" ? new TextDecoder().decode(entry.content.bytes()) : null;
  }

  get sites(): readonly (string | null)[] {
    return NAMES.map((name) => this.site(name));
  }

  byHand(node: string, text: string, path = SITE): void {
    const files = this.fleet.get(node)?.files;
    const entry = files?.get(path);
    if (entry?.type !== "file") throw new Error(`${node} has no ${path}`);
    files?.put(path, { ...entry, content: textContent(text) });
  }

  get record() {
    return readRecord(snapshot(this.refs.observed), snapshot(this.refs.live));
  }

  marker(node: string, unit = "role:web") {
    return this.record.states.get(node)?.markers.find((one) => one.unit === unit);
  }

  /** `wave-started 0`, `node-succeeded a`, … of the newest rollout of the role. */
  events(unit = "role:web"): readonly string[] {
    const logs = [...this.record.rollouts].filter(([id]) => id.startsWith(`${unit}@`));
    return logs.flatMap(([, events]) =>
      events.flatMap((one) =>
        "node" in one ? `${one.event} ${one.node}` : "wave" in one ? `${one.event} ${one.wave}` : [],
      ),
    );
  }
}

const fails = (node: string): Fault => ({ node, fault: "unreachable", on: { kind: "change" } });

describe("an apply of what is new", () => {
  it("goes in waves: a canary, one of another class, the rest, and records what each node proved", async () => {
    const world = new World();
    const result = await world.applied(desired("one\n"));
    expect(result.said).toEqual(["a converged", "b converged", "c converged", "d converged"]);
    expect(result).toMatchObject({ held: [], stopped: null, unrecorded: [] });
    expect(world.events().filter((event) => /^(wave-started|node-succeeded)/.test(event))).toEqual([
      "wave-started 0",
      "node-succeeded a",
      "wave-started 1",
      "node-succeeded d",
      "wave-started 2",
      "node-succeeded b",
      "node-succeeded c",
    ]);
    expect(NAMES.map((name) => [world.marker(name)?.grade, world.marker(name, "role:base")?.commit])).toEqual(
      NAMES.map(() => ["transition", COMMIT]),
    );
    expect(result.reports.map(({ host, stage }) => `${host} ${stage}`)).toEqual(
      NAMES.flatMap((name) => [`${name} before`, `${name} after`]),
    );
    expect(result.reports[0]?.items.map(({ resource }) => resource.id)).toEqual(["file:/etc/base", "file:/etc/site"]);
  });

  it("stops at a canary that fails: nobody else gets it, and they say why", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    const result = await world.applied(desired("two\n"), NAMES, { faults: [fails("a")] });
    expect(result.said).toEqual(["a unreachable", "b not-converged", "c not-converged", "d not-converged"]);
    expect(result.outcomes[1]?.message).toContain("role:web is held back: its rollout is paused");
    expect(world.sites).toEqual(["one\n", "one\n", "one\n", "one\n"]);
    expect(result.held.map(({ node, unit }) => `${node} ${unit}`)).toContain("b role:web");
  });

  it("mends what else differs on nodes whose unit is held back, and nothing of that unit", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    world.byHand("b", "by hand\n", "/etc/base");
    await world.applied(desired("two\n"), NAMES, { faults: [fails("a")] });
    expect(world.site("b", "/etc/base")).toBe("base\n");
    expect(world.site("b")).toBe("one\n");
  });

  it("of nodes whose wave has not come is refused, and names who must come first; then their turn comes", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    const two = desired("two\n");
    expect(await world.apply(two, ["b"])).toMatchObject({
      kind: "refused",
      first: ["a"],
      held: [{ node: "b", unit: "role:web" }],
    });
    expect(world.site("b")).toBe("one\n");
    expect((await world.applied(two, ["a", "b"])).said).toEqual(["a converged", "b not-converged"]);
    expect(world.sites).toEqual(["two\n", "one\n", "one\n", "one\n"]);
    expect(await world.apply(two, ["b"])).toMatchObject({ kind: "refused", first: ["d"] });
    expect((await world.applied(two, ["d"])).said).toEqual(["d converged"]);
    expect((await world.applied(two, ["b"])).said).toEqual(["b converged"]);
    expect(world.sites).toEqual(["two\n", "two\n", "one\n", "two\n"]);
    expect((await world.applied(two)).said).toEqual(NAMES.map((name) => `${name} converged`));
  });

  it("that is safe needs no canary", async () => {
    const world = new World();
    await world.applied(desired("one\n", { risk: "safe" }), ["c"]);
    expect(world.sites).toEqual([null, null, "one\n", null]);
  });

  it("past all waves is an escape: it is made so at once, and the record says what was proved", async () => {
    const world = new World();
    const result = await world.applied(desired("mine\n"), ["b", "c"], { commit: null });
    expect(result.said).toEqual(["b converged", "c converged"]);
    expect(world.sites).toEqual([null, "mine\n", "mine\n", null]);
    expect([world.marker("b")?.commit, world.marker("b")?.grade, world.events()]).toEqual([null, "transition", []]);
  });
});

describe("an apply of what was proved", () => {
  it("mends at once what changed on a node, whether the record knows of it or not", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    world.byHand("c", "by hand\n");
    const result = await world.applied(desired("one\n"), ["c"]);
    expect([result.said, world.site("c")]).toEqual([["c converged"], "one\n"]);
    expect(result.reports.map(({ stage, items }) => [stage, items.length])).toEqual([
      ["before", 1],
      ["after", 0],
    ]);
  });

  it("changes nothing, and commits nothing, when there is nothing to do", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    const commits = world.refs.observed.commits.length;
    expect((await world.applied(desired("one\n"))).said).toEqual(NAMES.map((name) => `${name} converged`));
    expect(world.refs.observed.commits.length).toBe(commits);
  });

  it("leaves alone what a node declines or claims", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    for (const name of ["b", "c"]) world.byHand(name, "by hand\n");
    const word = { unit: "role:web", by: "y", at: "2026-01-01" };
    const nodes = { b: { declines: [{ ...word, reason: "x" }] }, c: { claims: [{ ...word, note: "x" }] } };
    const result = await world.applied(desired("one\n", { nodes }));
    expect(world.sites).toEqual(["one\n", "by hand\n", "by hand\n", "one\n"]);
    expect(result.held).toEqual([]);
  });

  it("of one role looks at that role", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    world.byHand("b", "by hand\n");
    await world.applied(desired("one\n"), NAMES, { roles: ["base"] });
    expect(world.site("b")).toBe("by hand\n");
    await world.applied(desired("one\n"), NAMES, { roles: ["web"] });
    expect(world.site("b")).toBe("one\n");
  });
});

describe("a down verdict", () => {
  const down = { reason: "psu", by: "y", since: "1970-01-01T00:00:00Z", recheck: "false" };

  it("keeps a node back unless it is named, which is said", async () => {
    const world = new World();
    const state = desired("one\n", { nodes: { b: { down } } });
    const result = await world.applied(state);
    expect(result.said).toEqual(["a converged", "b skipped", "c converged", "d converged"]);
    expect([world.site("b"), result.down, result.despiteVerdict]).toEqual([null, ["b"], []]);
    const named = await world.applied(state, ["b"], { named: true });
    expect([named.said, named.despiteVerdict, world.site("b")]).toEqual([["b converged"], ["b"], "one\n"]);
  });
});

describe("the record", () => {
  it("that another run took over ends the apply, and what was done is named", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    for (const name of NAMES) world.byHand(name, "by hand\n");
    const result = await world.applied(desired("one\n"), NAMES, {
      store: [{ on: "keep", nth: 1, fault: "lock-lost", by: "other" }],
    });
    expect(result.stopped).toMatchObject({ reason: "lock-lost" });
    expect(world.sites.filter((site) => site === "by hand\n").length).toBeGreaterThan(0);
  });

  it("that takes nothing is said with the nodes", async () => {
    const world = new World();
    const result = await world.applied(desired("one\n"), NAMES, {
      commit: null,
      store: [{ on: "record", fault: "refused", message: "no" }],
    });
    expect(result).toMatchObject({ stopped: { reason: "unrecorded" }, unrecorded: NAMES });
  });
});
