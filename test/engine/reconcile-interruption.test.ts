import { describe, expect, it } from "vitest";
import { type Boundary, boundariesOf, type Fault, type Orphan } from "../../src/adapters/memory/faults.ts";
import type { StoreCall } from "../../src/adapters/memory/store-faults.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import type { Step } from "../../src/model/node-effect.ts";
import { portrait } from "../adapters/memory-fixture.ts";
import { desiredFleet, file, killed, type RunSettings, World } from "./reconcile-world.ts";
import { APP, UNIT_FILE } from "./small-fleet.ts";

const NODES = {
  "web-01": { roles: ["web"] },
  "web-02": { roles: ["web"] },
  "desk-01": { roles: ["web"], class: "desktop" },
};
const NAMES = Object.keys(NODES);
const ORPHANS: readonly Orphan[] = ["finishes", "dies", { boundaries: 0 }, { boundaries: 2 }];

/** A base role whose file the service of the other one reads, so that a change of either restarts it. */
function fleet(shared: string, content: string): DesiredState {
  const host = { resources: [{ type: "env", path: "/etc/shared.env", vars: { A: shared } }] };
  const unit = file(
    UNIT_FILE,
    "[Service]\nExecStart=/bin/app\nEnvironmentFile=/etc/shared.env\n[Install]\nWantedBy=multi-user.target\n",
  );
  const resources = [
    ...APP.filter((one) => one.path !== UNIT_FILE && one.path !== "/etc/app/conf.d/a.conf").map((one) => one),
  ];
  const service = resources.pop();
  const web = {
    resources: [
      ...resources,
      file("/etc/app/conf.d/a.conf", content),
      unit,
      { ...service, restart_on: ["file:/etc/app/conf.d/a.conf"] },
    ],
  };
  return desiredFleet({ nodes: NODES, roles: { host, web } });
}

const BEFORE = fleet("one", "a\n");
const AFTER = fleet("two", "b\n");

/** A fleet that has proved what was asked before; the same each time. */
async function settled(): Promise<World> {
  const world = new World(NAMES);
  const { result } = await world.reconcile(BEFORE, { runId: "before" });
  expect(result.units.map(({ state }) => state)).toEqual(["completed", "completed"]);
  for (const node of world.nodes.values()) node.journal = [];
  return world;
}

/** How a world looks to who does not know how it came about: nodes, and the record without names of runs, times and counts. */
function end(world: World) {
  const { states, reports, rollouts, damaged, reconciled } = world.record;
  const markers = [...states].map(([node, { markers: own }]) => [
    node,
    own.map(({ at: _at, run_id: _run, ...marker }) => marker),
  ]);
  const items = [...reports].map(([node, { items: own, digests }]) => [
    node,
    digests,
    own.map(({ discovered_at: _at, ...item }) => item),
  ]);
  const folded = [...new Set([...rollouts.keys()])].sort().map((id) => {
    const unit = id.slice(0, id.indexOf("@"));
    return world.rollouts(unit).map(({ id: own, state, round, wave, waves, nodes, ignored }) => ({
      ...{ own, state, round, wave, waves, ignored },
      nodes: [...nodes.values()].map(({ node, state: nodeState, grade }) => ({ node, nodeState, grade })),
    }));
  });
  return {
    nodes: [...world.nodes.values()].map(portrait),
    record: { markers: markers.sort(), items: items.sort(), folded, damaged, reconciled },
  };
}

const counted = (world: World, kinds: readonly string[]) =>
  NAMES.map((name) => (world.node(name).journal ?? []).filter(({ effect }) => kinds.includes(effect.do)).length);
const RESTARTS = ["start-unit", "restart-unit"];

/** The end that no interruption may change, and how often services were restarted on the way. */
async function straight() {
  const world = await settled();
  await world.reconcile(AFTER);
  return { end: end(world), restarts: counted(world, RESTARTS), commands: counted(world, ["run-command"]) };
}

/** Runs once with the fault and once without; both leave what one run leaves. */
async function interrupted(
  first: RunSettings,
  expected: Awaited<ReturnType<typeof straight>>,
  { mayRestartAgain }: { readonly mayRestartAgain: boolean },
): Promise<void> {
  const world = await settled();
  await killed(world.reconcile(AFTER, first));
  const second = await world.reconcile(AFTER);
  expect(second.result.stopped).toBeNull();
  expect(end(world)).toEqual(expected.end);
  expect(counted(world, ["run-command"])).toEqual(expected.commands);
  const restarts = counted(world, RESTARTS);
  const extra = restarts.map((count, index) => count - (expected.restarts[index] ?? 0));
  // Killed between a restart and the note of it, nobody can know that it was done.
  expect(Math.min(...extra)).toBe(0);
  expect(extra.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(mayRestartAgain ? 1 : 0);
}

interface NodeChange {
  readonly node: string;
  readonly nth: number;
  readonly steps: readonly Step[];
}

/** Every change that a run makes, in the order in which the nodes get them. */
async function changes(): Promise<NodeChange[]> {
  const world = await settled();
  const seen: NodeChange[] = [];
  const counts = new Map<string, number>();
  await world.reconcile(AFTER, {
    onChange: (node, request) => {
      const nth = counts.get(node) ?? 0;
      counts.set(node, nth + 1);
      seen.push({ node, nth, steps: request.steps });
    },
  });
  return seen;
}

function isRestartStep(steps: readonly Step[], at: Boundary): boolean {
  if (typeof at === "string") return false;
  return steps[at.step]?.effects.some((effect) => RESTARTS.includes(effect.do)) ?? false;
}

/** All of them for the first nodes, then each in its turn. */
function orphansFor(change: number, turn: number): readonly Orphan[] {
  return change < 1 ? ORPHANS : ORPHANS.filter((_, index) => index === turn % ORPHANS.length);
}

const retry = {
  ...{ event: "signal" as const, signal: "retry" as const },
  ...{ nodes: [], reason: null, accept_already_true: false },
};

describe("a rollout of three waves, killed and run again", () => {
  it("at every effect on a node, whatever becomes of the orphan, ends as if nothing had been", async () => {
    const expected = await straight();
    const all = await changes();
    expect(all.map(({ node }) => node)).toHaveLength(6);
    let tried = 0;
    for (const [index, { node, nth, steps }] of all.entries()) {
      for (const at of boundariesOf(steps)) {
        for (const orphan of orphansFor(index, tried)) {
          const fault: Fault = { node, fault: "controller-killed", at, orphan, on: { kind: "change", nth } };
          await interrupted({ faults: [fault] }, expected, { mayRestartAgain: isRestartStep(steps, at) });
          tried++;
        }
      }
    }
    expect(tried).toBeGreaterThan(60);
  });

  it("cut off from a node at every effect and retried, ends as if nothing had been", async () => {
    const expected = await straight();
    for (const [index, { node, nth, steps }] of (await changes()).entries()) {
      for (const [place, at] of boundariesOf(steps).entries()) {
        const [orphan = "dies"] = orphansFor(index + 1, place);
        const world = await settled();
        const fault: Fault = { node, fault: "link-lost", at, orphan, on: { kind: "change", nth } };
        const { result } = await world.reconcile(AFTER, { faults: [fault] });
        expect(result.outcomes.filter(({ outcome }) => outcome === "unknown")).toMatchObject([{ node }]);
        const cut = result.units.find(({ next }) => next === "stopped");
        const digest = world.rollouts(cut?.unit ?? "").find(({ id }) => id === cut?.rollout)?.digest;
        if (cut === undefined || digest === undefined) throw new Error("it did not stop");
        await world.signal(cut.unit, retry, digest);
        await world.reconcile(AFTER);
        expect(end(world)).toEqual(expected.end);
        expect(counted(world, ["run-command"])).toEqual(expected.commands);
      }
    }
  });

  it("before and after every call of the record, ends as if nothing had been", async () => {
    const expected = await straight();
    const world = await settled();
    const { store } = await world.reconcile(AFTER);
    const calls: readonly StoreCall[] = ["read", "record", "publish", "lock", "keep", "release"];
    for (const on of calls) {
      expect(store.calls(on), on).toBeGreaterThan(0);
      for (let nth = 0; nth < store.calls(on); nth++) {
        for (const at of ["before", "after"] as const) {
          const storeFaults = [{ on, nth, fault: "controller-killed" as const, at }];
          await interrupted({ storeFaults }, expected, { mayRestartAgain: false });
        }
      }
    }
  });
});
