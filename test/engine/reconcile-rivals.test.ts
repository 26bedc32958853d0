import { describe, expect, it } from "vitest";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { segmentPath } from "../../src/model/observed-layout.ts";
import { portrait } from "../adapters/memory-fixture.ts";
import { desiredFleet, file, killed, World } from "./reconcile-world.ts";

const NODES = {
  "web-01": { roles: ["web"] },
  "web-02": { roles: ["web"] },
  "desk-01": { roles: ["web"], class: "desktop" },
};
const NAMES = Object.keys(NODES);
const fleet = (content: string) =>
  desiredFleet({
    nodes: NODES,
    roles: { web: { resources: [file("/etc/app.conf", content), file("/etc/more", "x\n")] } },
  });
const changed = (world: World) => NAMES.filter((name) => world.node(name).files.get("/etc/app.conf") !== undefined);

describe("two controllers", () => {
  it("exclude each other by the lock, whoever comes first", async () => {
    const world = new World(NAMES);
    const both = await Promise.allSettled([world.reconcile(fleet("one\n")), world.reconcile(fleet("one\n"))]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(both.find((one) => one.status === "rejected")?.reason).toMatchObject({ message: /^locked: / });
    expect(world.rollout("role:web")).toMatchObject({ state: "completed", ignored: [] });
    expect(NAMES.map((name) => world.node(name).journal?.length)).toEqual([2, 2, 2]);
  });

  it("of which one has lost its lock: it stops before the next node, records nothing more, and says what it did", async () => {
    const world = new World(NAMES);
    const slow = world.reconcile(fleet("one\n"), {
      runId: "slow",
      beforeChange: async (node) => {
        if (node !== "web-01") return;
        world.nowMs += 700_000;
        const rival = new MemoryStore(world.refs, world.clock);
        await rival.lock({ holder: "rival", runId: "rival", leaseMs: 600_000, takeOver: null });
      },
    });
    const { result } = await slow;
    expect(result.stopped).toEqual({ reason: "lock-lost", by: "rival" });
    expect(result.unrecorded).toEqual(["web-01"]);
    expect(changed(world)).toEqual(["web-01"]);
    expect(world.record.states.size).toBe(0);
    expect(world.refs.lock?.holder).toBe("rival");
    // The rival goes on: what the other one did is read, and not done again.
    await world.reconcile(fleet("one\n"), { takeOver: "the test says so" });
    expect(world.rollout("role:web").state).toBe("completed");
    expect(world.node("web-01").journal).toHaveLength(2);
  });

  it("of which a later one fences the earlier one off on a node that both want", async () => {
    const world = new World(NAMES);
    let rival: Promise<unknown> = Promise.resolve();
    const { result } = await world.reconcile(fleet("one\n"), {
      beforeChange: async (node) => {
        if (node !== "web-01") return;
        rival = world.reconcile(fleet("two\n"), { takeOver: "the test says so" });
        await rival;
      },
    });
    expect(result.outcomes).toMatchObject([{ node: "web-01", outcome: "fenced" }]);
    expect(result.stopped).toMatchObject({ reason: "lock-lost" });
    const entry = world.node("web-01").files.get("/etc/app.conf");
    expect(entry?.type === "file" && new TextDecoder().decode(entry.content.bytes())).toBe("two\n");
  });

  it("leave a fence above the lock's epoch, when there was one before: the holder raises it once", async () => {
    const world = new World(NAMES);
    world.node("web-01").fence = { epoch: 41, runId: "an apply without a lock" };
    const { result } = await world.reconcile(fleet("one\n"));
    expect(result.outcomes.map(({ outcome }) => outcome)).toEqual(["converged", "converged", "converged"]);
    expect(world.refs.lock?.epoch).toBe(42);
    expect(world.node("web-02").fence?.epoch).toBe(42);
  });
});

describe("a record that cannot be written", () => {
  it.each([0, 1, 2, 3, 4])("ends the run before further nodes, at push %i, and the next run goes on", async (nth) => {
    const world = new World(NAMES);
    const { result, store } = await world.reconcile(fleet("one\n"), {
      storeFaults: [0, 1, 2, 3, 4, 5, 6, 7, 8]
        .filter((at) => at >= nth)
        .map((at) => ({ on: "record", nth: at, fault: "refused", message: "protected" })),
    });
    expect(result.stopped).toMatchObject({ reason: "unrecorded", code: "push-refused" });
    expect(result.unrecorded).toEqual(changed(world).filter((name) => !world.record.states.has(name)));
    expect(store.calls("record")).toBeLessThanOrEqual(nth + 2);
    const again = await world.reconcile(fleet("one\n"));
    expect(again.result.units).toMatchObject([{ state: "completed", applied: 3 }]);
    expect(NAMES.map((name) => world.node(name).journal?.length)).toEqual([2, 2, 2]);
  });

  it("but was written by others in between is read, and nothing of either is lost", async () => {
    const world = new World(NAMES);
    const writes = new Map([["incidents/1.json", "{}\n"]]);
    await world.reconcile(fleet("one\n"), {
      storeFaults: [0, 1, 2, 3].map((nth) => ({ on: "record", nth, fault: "race", writes })),
    });
    expect(world.refs.observed.files.get("incidents/1.json")).toBe("{}\n");
    const { digest } = world.rollout("role:web");
    const lines = world.refs.observed.files.get(
      segmentPath("role:web", digest, world.record.rollouts.get(world.rollout("role:web").id)?.[0]?.run_id ?? ""),
    );
    const places = (lines ?? "")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(places).toEqual(places.map((_, index) => index + 1));
  });
});

describe("a budget", () => {
  it("ends the run recorded, and the next one goes on where it stopped", async () => {
    const world = new World(NAMES);
    const { result } = await world.reconcile(fleet("one\n"), {
      budgetMs: 60_000,
      beforeChange: () => {
        world.nowMs += 45_000;
      },
    });
    expect(result.stopped).toEqual({ reason: "budget" });
    expect(result.units).toMatchObject([{ state: "running", next: "continue", applied: 2 }]);
    expect(result.unfinished).toEqual([{ unit: "role:web", nodes: ["web-02"] }]);
    const events = world.record.rollouts.get(world.rollout("role:web").id) ?? [];
    expect(events.at(-1)).toMatchObject({ event: "run-ended", reason: "budget" });
    const again = await world.reconcile(fleet("one\n"));
    expect(again.result.outcomes.map(({ node }) => node)).toEqual(["web-02"]);
    expect(world.rollout("role:web").state).toBe("completed");
  });

  it("is not needed to be interrupted", async () => {
    const world = new World(NAMES);
    let asked = false;
    const { result } = await world.reconcile(fleet("one\n"), {
      interrupted: () => asked,
      beforeChange: () => {
        asked = true;
      },
    });
    expect(result.stopped).toEqual({ reason: "interrupted" });
    expect(world.record.states.size).toBe(1);
  });
});

describe("one machine under two names", () => {
  it("is refused in a wave before either is changed, and beside a node of an earlier run", async () => {
    const safe = (nodes: Readonly<Record<string, object>>) =>
      desiredFleet({
        nodes: nodes as typeof NODES,
        roles: { web: { risk: "safe", resources: [file("/etc/app.conf", "x\n")] } },
      });
    const world = new World(["web-01"]);
    world.nodes.set("web-02", world.node("web-01"));
    const before = portrait(world.node("web-01"));
    const two = { "web-01": { roles: ["web"] }, "web-02": { roles: ["web"] } };
    const { result } = await world.reconcile(safe(two));
    expect(result.outcomes.map(({ outcome }) => outcome)).toEqual(["duplicate-machine", "duplicate-machine"]);
    expect(portrait(world.node("web-01"))).toEqual(before);

    const later = new World(["web-01"]);
    await later.reconcile(safe({ "web-01": { roles: ["web"] } }));
    later.nodes.set("web-02", later.node("web-01"));
    const second = await later.reconcile(safe(two));
    expect(second.result.outcomes).toMatchObject([{ node: "web-02", outcome: "duplicate-machine" }]);
    // Renamed is not twice: what left the roster counts no more.
    const renamed = new World(["web-01"]);
    await renamed.reconcile(safe({ "web-01": { roles: ["web"] } }));
    renamed.nodes.set("web-02", renamed.node("web-01"));
    const third = await renamed.reconcile(safe({ "web-02": { roles: ["web"] } }));
    expect(third.result.outcomes).toMatchObject([{ node: "web-02", outcome: "converged" }]);
  });
});

describe("the holder of a lock", () => {
  it("that was killed is found dead, and otherwise its lock runs out", async () => {
    const world = new World(NAMES);
    const fault = { node: "web-01", fault: "controller-killed", at: "end", orphan: "dies" } as const;
    await killed(world.reconcile(fleet("one\n"), { faults: [fault] }));
    world.refs.dead.clear();
    await expect(world.reconcile(fleet("one\n"))).rejects.toThrow(/^locked/);
    world.nowMs += 601_000;
    await world.reconcile(fleet("one\n"));
    expect(world.rollout("role:web").state).toBe("completed");
  });
});
