import { describe, expect, it } from "vitest";
import type { RolloutEventBody, Signal } from "../../src/model/rollout-event.ts";
import { desiredFleet, file, World } from "./reconcile-world.ts";

const NODES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "web-01": { roles: ["web"] },
  "web-02": { roles: ["web"] },
  "web-03": { roles: ["web"] },
  "desk-01": { roles: ["web"], class: "desktop" },
  "desk-02": { roles: ["web"], class: "desktop" },
};
const NAMES = Object.keys(NODES);
const web = (content: string, more: object = {}) => ({ resources: [file("/etc/app.conf", content)], ...more });
const fleet = (content: string, nodes = NODES, more: object = {}) =>
  desiredFleet({ nodes, roles: { web: web(content, more) } });
const withNode = (name: string, more: object) => ({ ...NODES, [name]: { ...NODES[name], ...more } });
const by = { by: "octocat", at: "2026-12-01T09:00:00Z" };
const down = { reason: "psu dead", recheck: "reachable", by: "octocat", since: "2026-12-01T09:00:00Z" };
const unreachable = (node: string) => ({ node, fault: "unreachable" as const });

function say(signal: Signal, nodes: string[] = [], reason: string | null = "because"): RolloutEventBody {
  return { event: "signal", signal, nodes, reason, accept_already_true: false };
}

const states = (world: World) =>
  Object.fromEntries([...world.rollout("role:web").nodes.values()].map(({ node, state }) => [node, state]));
const text = (world: World, node: string) => {
  const entry = world.node(node).files.get("/etc/app.conf");
  return entry?.type === "file" ? new TextDecoder().decode(entry.content.bytes()) : null;
};

describe("a rollout", () => {
  it("goes through three waves, proves it on every node, and does nothing the next time", async () => {
    const world = new World(NAMES);
    const { result, progress } = await world.reconcile(fleet("one\n"));
    expect(result.stopped).toBeNull();
    expect(result.units).toMatchObject([
      { unit: "role:web", state: "completed", next: "nothing", applied: 5, targets: 5 },
    ]);
    const { waves } = world.rollout("role:web");
    expect(waves.map((wave) => wave.length)).toEqual([1, 1, 3]);
    const order = progress.flatMap((event) => (event.kind === "finished" ? [event.node] : []));
    expect(order.slice(0, 2)).toEqual([waves[0]?.[0], waves[1]?.[0]]);
    expect(world.record.states.get("web-01")?.markers).toMatchObject([
      { unit: "role:web", grade: "transition", evidence: "1 resource read back", version: 1 },
    ]);
    expect(world.record.damaged).toEqual([]);
    expect(world.record.reconciled).toMatchObject({ generation: 42 });
    const { commits } = world.refs.observed;
    const again = await world.reconcile(fleet("one\n"));
    expect(again.result.outcomes).toEqual([]);
    expect(world.refs.observed.commits).toBe(commits);
    expect(NAMES.map((name) => again.calls(name).observe)).toEqual([0, 0, 0, 0, 0]);
  });

  it("adopts what is already so, without acting, and says so in its grade", async () => {
    const world = new World(NAMES);
    await world.reconcile(fleet("one\n"));
    const other = new World([]);
    for (const [name, node] of world.nodes) other.nodes.set(name, node);
    const { calls } = await other.reconcile(fleet("one\n"));
    expect(NAMES.map((name) => calls(name).change)).toEqual([0, 0, 0, 0, 0]);
    expect(other.record.states.get("web-01")?.markers).toMatchObject([{ grade: "already-true" }]);
  });

  it("is recorded before anything is done on a node", async () => {
    const world = new World(NAMES);
    const seen: string[] = [];
    await world.reconcile(fleet("one\n"), {
      beforeChange: () => void seen.push(world.rollout("role:web").state),
    });
    expect(seen).toEqual(NAMES.map(() => "running"));
  });

  it("stops at a canary that fails, and a fix takes its place", async () => {
    const world = new World(NAMES);
    const broken = { resources: [file("/closed/app.conf", "x\n")] };
    for (const node of world.nodes.values()) node.readOnly.add("/closed");
    const { result } = await world.reconcile(desiredFleet({ nodes: NODES, roles: { web: broken } }));
    expect(result.units).toMatchObject([{ state: "paused", next: "stopped", applied: 0 }]);
    expect(result.outcomes).toHaveLength(1);
    const still = await world.reconcile(desiredFleet({ nodes: NODES, roles: { web: broken } }));
    expect(still.result.outcomes).toEqual([]);
    const fixed = await world.reconcile(fleet("one\n"));
    expect(fixed.result.units).toMatchObject([{ state: "completed", applied: 5 }]);
    expect(
      world
        .rollouts("role:web")
        .map(({ state }) => state)
        .sort(),
    ).toEqual(["completed", "superseded"]);
  });

  it("counts an unreachable node as attempted and failed: in the first wave it pauses, in the last it has failed", async () => {
    const first = new World(NAMES);
    const canary = await first.reconcile(fleet("one\n"), { faults: [unreachable("web-01")] });
    expect(canary.result.units).toMatchObject([{ state: "paused", next: "stopped" }]);
    const world = new World(NAMES);
    const { result } = await world.reconcile(fleet("one\n"), { faults: [unreachable("web-03")] });
    expect(result.units).toMatchObject([{ state: "failed", next: "stopped", applied: 4 }]);
    expect(world.record.heartbeats.get("web-03")).toMatchObject({ outcome: "unreachable", observed_at: null });
    expect((await world.reconcile(fleet("one\n"))).result.outcomes).toEqual([]);
    await world.signal("role:web", say("retry", [], null));
    const again = await world.reconcile(fleet("one\n"));
    expect(again.result.outcomes).toMatchObject([{ node: "web-03", outcome: "converged" }]);
    expect(world.rollout("role:web").state).toBe("completed");
  });

  it("is forced past its gate, or led around a node, only with a reason that stays", async () => {
    const forced = new World(NAMES);
    await forced.reconcile(fleet("one\n"), { faults: [unreachable("web-01")] });
    await forced.signal("role:web", say("force"));
    await forced.reconcile(fleet("one\n"), { faults: [unreachable("web-01")] });
    expect(forced.rollout("role:web")).toMatchObject({ state: "failed", escapes: [{ reason: "because" }] });
    expect(states(forced)).toMatchObject({ "web-01": "failed", "desk-01": "succeeded", "web-02": "succeeded" });

    const skipped = new World(NAMES);
    await skipped.reconcile(fleet("one\n"), { faults: [unreachable("web-03")] });
    await skipped.signal("role:web", say("skip", ["web-03"]));
    await skipped.signal("role:web", say("retry"));
    await skipped.reconcile(fleet("one\n"), { faults: [unreachable("web-03")] });
    expect(skipped.rollout("role:web")).toMatchObject({ state: "completed", escapes: [{ reason: "because" }] });
    expect(states(skipped)["web-03"]).toBe("skipped");
  });

  it("hears a signal before its next wave: pause and resume, cancel", async () => {
    for (const signal of ["pause", "cancel"] as const) {
      const world = new World(NAMES);
      const { result } = await world.reconcile(fleet("one\n"), {
        beforeChange: (node) => (node === "web-01" ? world.signal("role:web", say(signal)) : undefined),
      });
      expect(result.outcomes.map(({ node }) => node)).toEqual(["web-01"]);
      expect(result.units).toMatchObject([{ state: signal === "pause" ? "paused" : "canceled", next: "stopped" }]);
      expect(states(world)["web-01"]).toBe("succeeded");
      if (signal === "cancel") continue;
      await world.signal("role:web", say("resume"));
      await world.reconcile(fleet("one\n"));
      expect(world.rollout("role:web")).toMatchObject({ state: "completed" });
      expect(world.node("web-01").journal?.length).toBe(1);
    }
  });

  it("takes a late joiner in one wave, and changed variables through all of them", async () => {
    const world = new World([...NAMES, "web-04"]);
    await world.reconcile(fleet("one\n"));
    await world.reconcile(fleet("one\n", { ...NODES, "web-04": { roles: ["web"] } }));
    expect(world.rollout("role:web")).toMatchObject({ round: 2, state: "completed", waves: [["web-04"]] });

    const template = { template: "true" };
    const varied = (workers: string) =>
      desiredFleet({
        nodes: Object.fromEntries(NAMES.map((name) => [name, { ...NODES[name], vars: { workers } }])),
        roles: { web: { resources: [file("/etc/app.conf", "{{ node.vars.workers }}\n", template)] } },
      });
    const changing = new World(NAMES);
    await changing.reconcile(varied("1"));
    await changing.reconcile(varied("2"));
    const { waves, round } = changing.rollout("role:web");
    expect([round, waves.map((wave) => wave.length)]).toEqual([2, [1, 1, 3]]);
    expect(NAMES.map((name) => text(changing, name))).toEqual(NAMES.map(() => "2\n"));
  });

  it("heals what arose on a node only where drift.heal says so", async () => {
    for (const heal of ["false", "true"]) {
      const world = new World(NAMES);
      const state = desiredFleet({ nodes: NODES, roles: { web: web("one\n") }, fleet: { drift: { heal } } });
      await world.reconcile(state);
      world.node("web-02").files.remove("/etc/app.conf");
      world.losesProof("web-02", "role:web", "/etc/app.conf");
      const { result } = await world.reconcile(state);
      expect(result.outcomes.map(({ node }) => node)).toEqual(heal === "true" ? ["web-02"] : []);
      expect(text(world, "web-02")).toBe(heal === "true" ? "one\n" : null);
    }
  });
});

describe("a role whose file a service of another role reads", () => {
  const unit =
    "[Service]\nExecStart=/bin/app\nEnvironmentFile=/etc/shared.env\n[Install]\nWantedBy=multi-user.target\n";
  const path = "/etc/systemd/system/app.service";
  const state = (shared: string) =>
    desiredFleet({
      nodes: { "web-01": { roles: ["web"] } },
      roles: {
        host: { resources: [{ type: "env", path: "/etc/shared.env", vars: { A: shared } }] },
        web: {
          resources: [
            file(path, unit),
            { type: "systemd_unit", name: "app.service", state: "started", unit_file: path },
          ],
        },
      },
    });
  const restarts = (world: World) =>
    (world.node("web-01").journal ?? []).filter(({ effect }) => effect.do === "restart-unit").length;

  it("restarts it in the same visit, since the other role is due nowhere", async () => {
    const world = new World(["web-01"]);
    await world.reconcile(state("one"));
    expect(restarts(world)).toBe(0);
    const { result } = await world.reconcile(state("two"));
    expect(result.outcomes).toMatchObject([{ unit: "role:host", outcome: "converged" }]);
    expect([restarts(world), world.node("web-01").pending.size]).toEqual([1, 0]);
    expect(world.record.states.get("web-01")?.markers.map(({ unit: own }) => own)).toEqual(["role:host", "role:web"]);
  });

  it("has not converged when the service does not live through it", async () => {
    const world = new World(["web-01"]);
    await world.reconcile(state("one"));
    world.node("web-01").crashing.add("//app.service");
    world.node("web-01").crashing.add("app.service");
    const { result } = await world.reconcile(state("two"));
    expect(result.outcomes).toMatchObject([
      { unit: "role:host", outcome: expect.stringMatching(/failed|not-converged/) },
    ]);
    expect(result.units).toMatchObject([{ unit: "role:host", next: "stopped" }, {}]);
  });
});

describe("what is recorded", () => {
  it("holds no secret, in whatever words a node says it", async () => {
    const world = new World(["web-01"], { "env:KEY": "hunter2!" });
    const resources = [
      { type: "env", path: "/etc/app.env", vars: { KEY: { secret_ref: "env:KEY" } } },
      { type: "command", run: "make it", creates: "/var/made" },
    ];
    world.node("web-01").commands.set("make it", { exitCode: 1, output: "cannot log in with hunter2!" });
    const { result } = await world.reconcile(
      desiredFleet({ nodes: { "web-01": { roles: ["web"] } }, roles: { web: { resources } } }),
    );
    expect(result.outcomes).toMatchObject([{ outcome: "failed" }]);
    const texts = [...world.refs.observed.files.values(), ...world.refs.live.files.values()].join("");
    expect(texts).toContain("cannot log in with ***");
    expect(texts).not.toContain("hunter2");
  });
});

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

  it("are forgotten with their node when it is retired", async () => {
    const world = new World(NAMES);
    await world.reconcile(fleet("one\n"));
    await world.reconcile(fleet("one\n", withNode("web-03", { state: "retired" })));
    const paths = [...world.refs.observed.files.keys(), ...world.refs.live.files.keys()];
    expect(paths.filter((path) => path.includes("web-03"))).toEqual([]);
    expect([...world.record.states.keys()]).not.toContain("web-03");
  });
});
