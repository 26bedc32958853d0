import { describe, expect, it } from "vitest";
import { by, down, fleet, NAMES, NODES, say, states, text, unreachable, web, withNode } from "./reconcile-fleet.ts";
import { desiredFleet, file, World } from "./reconcile-world.ts";

describe("nobody", () => {
  it("is never green: all decline, all are down, nobody answers", async () => {
    const declining = new World(NAMES);
    const declines = [{ unit: "role:web", reason: "not here", ...by }];
    const none = Object.fromEntries(NAMES.map((name) => [name, { ...NODES[name], declines }]));
    const refused = await declining.reconcile(fleet("one\n", none));
    expect(refused.result.units).toMatchObject([{ next: "nobody", applied: 0, state: null }]);
    expect(NAMES.map((name) => refused.calls(name).observe)).toEqual([0, 0, 0, 0, 0]);

    const dead = Object.fromEntries(NAMES.map((name) => [name, { ...NODES[name], down }]));
    const world = new World(NAMES);
    expect((await world.reconcile(fleet("one\n", dead))).result.units).toMatchObject([{ next: "nobody" }]);

    const silent = new World(NAMES);
    const safe = fleet("one\n", NODES, { risk: "safe" });
    const { result } = await silent.reconcile(safe, { faults: NAMES.map(unreachable) });
    expect(result.units).toMatchObject([{ state: "failed", next: "stopped", applied: 0 }]);
  });

  it("opens a gate by declining: the canary that declines is none", async () => {
    const world = new World(NAMES);
    const state = fleet("one\n", withNode("web-01", { declines: [{ unit: "role:web", reason: "not here", ...by }] }));
    const { calls } = await world.reconcile(state, { faults: [unreachable("desk-01")] });
    const { waves, leftOut, ...rollout } = world.rollout("role:web");
    expect([waves[0], waves.flat().includes("web-01"), rollout.state]).toEqual([["desk-01"], false, "paused"]);
    expect(leftOut).toEqual([{ node: "web-01", reason: "declined", detail: '"not here" (octocat)' }]);
    expect(calls("web-01")).toEqual({ observe: 0, change: 0 });

    const late = new World(NAMES);
    await late.reconcile(fleet("one\n"), { faults: [unreachable("web-01")] });
    await late.signal("role:web", say("retry"));
    const { result } = await late.reconcile(state);
    expect(result.outcomes).toEqual([]);
    expect(late.rollout("role:web")).toMatchObject({ state: "paused", reason: { code: "wave-gate" } });
  });

  it("is asked of a node that is down: it goes last, stays pending, and the rest is enough", async () => {
    const world = new World(NAMES);
    const { result, calls } = await world.reconcile(fleet("one\n", withNode("web-01", { down })));
    expect(result.units).toMatchObject([{ state: "completed", applied: 4, targets: 5 }]);
    expect(calls("web-01")).toEqual({ observe: 0, change: 0 });
    expect(states(world)["web-01"]).toBe("skipped");
    const up = await world.reconcile(fleet("one\n"));
    expect(up.result.outcomes).toMatchObject([{ node: "web-01", outcome: "converged" }]);
  });
});

describe("units of one run", () => {
  const roles = { base: { resources: [file("/etc/base", "x\n")] }, web: web("one\n", { requires: ["base"] }) };
  const both = (nodes: typeof NODES) =>
    Object.fromEntries(Object.keys(nodes).map((name) => [name, { ...nodes[name], roles: ["base", "web"] }]));

  it("wait for one before them that stands still, where they share a node", async () => {
    const world = new World(NAMES);
    const { result } = await world.reconcile(desiredFleet({ nodes: both(NODES), roles }), {
      faults: [unreachable("web-01")],
    });
    expect(result.units).toMatchObject([
      { unit: "role:base", next: "stopped" },
      { unit: "role:web", next: "waiting", state: null },
    ]);
    expect(NAMES.map((name) => text(world, name))).toEqual(NAMES.map(() => null));
  });

  it("are let go of as their manifest says, in waves, when a node has them no more", async () => {
    for (const on_release of ["keep", "remove"]) {
      const world = new World(NAMES);
      const files = { resources: [file("/etc/app.conf", "one\n")], on_release };
      const without = Object.fromEntries(NAMES.map((name) => [name, { ...NODES[name], roles: [] }]));
      await world.reconcile(desiredFleet({ nodes: NODES, roles: { web: files } }));
      const { result } = await world.reconcile(desiredFleet({ nodes: without, roles: { web: files } }));
      expect(result.units.filter(({ next }) => next !== "nothing")).toEqual([]);
      expect(result.outcomes).toHaveLength(5);
      expect(NAMES.map((name) => text(world, name))).toEqual(NAMES.map(() => (on_release === "keep" ? "one\n" : null)));
      expect(NAMES.flatMap((name) => world.node(name).owned)).toEqual([]);
      expect([...world.record.states.values()].flatMap(({ markers }) => markers)).toEqual([]);
      expect((await world.reconcile(desiredFleet({ nodes: without, roles: { web: files } }))).result.outcomes).toEqual(
        [],
      );
    }
  });

  it("leave no log open when they leave desired state before anybody had them", async () => {
    const world = new World(NAMES);
    await world.reconcile(fleet("one\n"), { faults: NAMES.map(unreachable) });
    expect(world.rollout("role:web").state).toBe("paused");
    const none = Object.fromEntries(Object.entries(NODES).map(([name, more]) => [name, { ...more, roles: [] }]));
    const { result } = await world.reconcile(desiredFleet({ nodes: none, roles: {} }));
    expect(world.rollouts("role:web")).toMatchObject([
      { state: "superseded", reason: { code: "superseded", detail: "role:web left desired state" } },
    ]);
    expect(result.outcomes).toEqual([]);
    const commits = world.refs.observed.commits.length;
    await world.reconcile(desiredFleet({ nodes: none, roles: {} }));
    expect(world.refs.observed.commits.length).toBe(commits);
    expect(world.rollouts("role:web")[0]?.ignored).toEqual([]);
  });

  it("are forgotten with their node when it is retired", async () => {
    const world = new World(NAMES);
    await world.reconcile(fleet("one\n"));
    await world.reconcile(fleet("one\n", withNode("web-03", { state: "retired" })));
    const paths = [...world.refs.observed.files.keys(), ...world.refs.live.files.keys()];
    expect(paths.filter((path) => path.includes("web-03"))).toEqual([]);
    expect([...world.record.states.keys()]).not.toContain("web-03");
  });
});
