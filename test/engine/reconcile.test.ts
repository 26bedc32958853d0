import { describe, expect, it } from "vitest";
import { unitKey } from "../../src/model/node-question.ts";
import { fleet, NAMES, NODES, say, states, text, unreachable, web } from "./reconcile-fleet.ts";
import { desiredFleet, file, World } from "./reconcile-world.ts";

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
    const before = restarts(world);
    const { result } = await world.reconcile(state("two"));
    expect(result.outcomes).toMatchObject([{ unit: "role:host", outcome: "converged" }]);
    expect([restarts(world) - before, world.node("web-01").pending.size]).toEqual([1, 0]);
    expect(world.record.states.get("web-01")?.markers.map(({ unit: own }) => own)).toEqual(["role:host", "role:web"]);
  });

  it("has not converged when the service does not live through it", async () => {
    const world = new World(["web-01"]);
    await world.reconcile(state("one"));
    world.node("web-01").crashing.add(unitKey({ name: "app.service", user: null }));
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
