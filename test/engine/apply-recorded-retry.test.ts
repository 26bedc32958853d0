import { describe, expect, it } from "vitest";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { Ledger } from "../../src/engine/ledger.ts";
import type { RolloutEvent, RolloutEventBody, Signal } from "../../src/model/rollout-event.ts";
import { foldRollout } from "../../src/plan/fold-rollout.ts";
import type { Rollout } from "../../src/plan/rollout.ts";
import { desired, fails, NAMES, World } from "./apply-world.ts";
import { givenSecrets } from "./given-secrets.ts";

/** The newest rollout of the role, and its log. */
function latest(world: World): { readonly rollout: Rollout; readonly events: readonly RolloutEvent[] } {
  const logs = [...world.record.rollouts.values()].flatMap((events) => {
    const rollout = foldRollout(events);
    return rollout?.unit === "role:web" ? [{ rollout, events }] : [];
  });
  const open = logs.filter(({ rollout }) => rollout.state !== "superseded" && rollout.state !== "completed");
  const [one] = open.length > 0 ? open : logs.slice(-1);
  if (one === undefined) throw new Error("no rollout");
  return one;
}

let words = 0;

/** Somebody says so, between two applies. */
async function say(world: World, body: RolloutEventBody): Promise<void> {
  const clock = { now: () => new Date("2026-12-01T10:00:00Z") };
  const secrets = givenSecrets();
  const context = { runId: `by-hand-${++words}`, actor: "o", clock, secrets, lock: null, nodes: new Set(NAMES) };
  const ledger = await Ledger.open(new MemoryStore(world.refs, clock), context);
  const { unit, digest } = latest(world).rollout;
  ledger.append(unit, digest, body);
  await ledger.flush("chore: said by hand");
}

const signal = (word: Signal): RolloutEventBody => ({
  ...{ event: "signal", signal: word, nodes: [], reason: "because", accept_already_true: false },
});
const retries = (world: World) =>
  latest(world).events.flatMap((one) => (one.event === "signal" && one.signal === "retry" ? [one] : []));

/** The canary has failed: paused at the gate of the first wave. */
async function stoppedAtCanary(): Promise<World> {
  const world = new World();
  await world.applied(desired("one\n"));
  await world.applied(desired("two\n"), NAMES, { faults: [fails("a")] });
  expect(latest(world).rollout).toMatchObject({ state: "paused", reason: { code: "wave-gate" } });
  return world;
}

describe("an apply after one that failed", () => {
  it("of all is the word that tries the canary again: in the log before it goes on, and said", async () => {
    const world = await stoppedAtCanary();
    const result = await world.applied(desired("two\n"));
    expect(result.said).toEqual(NAMES.map((name) => `${name} converged`));
    expect(result.retried).toEqual([{ unit: "role:web", nodes: ["a"] }]);
    expect(retries(world)).toMatchObject([{ nodes: ["a"], reason: "apply", actor: "t" }]);
    const { events, rollout } = latest(world);
    const after = events.slice(events.findIndex((one) => one.event === "signal") + 1);
    expect([after[0]?.event, rollout.state, rollout.ignored]).toEqual(["wave-started", "completed", []]);
    expect(world.sites).toEqual(["two\n", "two\n", "two\n", "two\n"]);
  });

  it("of the canary alone tries it again, and nobody else", async () => {
    const world = await stoppedAtCanary();
    const result = await world.applied(desired("two\n"), ["a"]);
    expect([result.said, world.sites]).toEqual([["a converged"], ["two\n", "one\n", "one\n", "one\n"]]);
    expect(latest(world).rollout).toMatchObject({ state: "running", wave: 1 });
  });

  it("of others than the failed ones says what stands still, and moves nothing", async () => {
    const world = await stoppedAtCanary();
    const result = await world.applied(desired("two\n"), ["b", "d"]);
    expect(result.held.map(({ node, unit }) => `${node} ${unit}`)).toEqual(["b role:web", "d role:web"]);
    expect([result.retried, retries(world), world.sites]).toEqual([[], [], ["one\n", "one\n", "one\n", "one\n"]]);
  });

  it("of another role alone does not touch it", async () => {
    const world = await stoppedAtCanary();
    const result = await world.applied(desired("two\n"), NAMES, { roles: ["base"] });
    expect([result.retried, world.site("a")]).toEqual([[], "one\n"]);
  });

  it("tries what failed in the last wave again, of those that were asked for", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    await world.applied(desired("two\n"), NAMES, { faults: [fails("b"), fails("c")] });
    expect(latest(world).rollout.state).toBe("failed");
    const one = await world.applied(desired("two\n"), ["c"]);
    expect([one.said, one.retried]).toEqual([["c converged"], [{ unit: "role:web", nodes: ["c"] }]]);
    expect([latest(world).rollout.state, world.sites]).toEqual(["failed", ["two\n", "one\n", "two\n", "two\n"]]);
    await world.applied(desired("two\n"));
    expect([latest(world).rollout.state, world.site("b")]).toEqual(["completed", "two\n"]);
  });

  it("that fails again stands where it stood, with one retry a time", async () => {
    const world = await stoppedAtCanary();
    const again = await world.applied(desired("two\n"), NAMES, { faults: [fails("a")] });
    expect(again.said).toEqual(["a unreachable", "b not-converged", "c not-converged", "d not-converged"]);
    expect(latest(world).rollout).toMatchObject({ state: "paused", reason: { code: "wave-gate" } });
    expect([retries(world).length, world.sites]).toEqual([1, ["one\n", "one\n", "one\n", "one\n"]]);
  });

  it("leaves alone a failed node that declines by now", async () => {
    const world = await stoppedAtCanary();
    const declines = [{ unit: "role:web", reason: "x", by: "y", at: "2026-01-01" }];
    const result = await world.applied(desired("two\n", { nodes: { a: { declines } } }));
    expect([result.retried, world.sites]).toEqual([[], ["one\n", "one\n", "one\n", "one\n"]]);
  });

  it("does not speak against a person: what was paused or canceled by hand is held, and said", async () => {
    for (const [word, state] of [
      ["pause", "paused"],
      ["cancel", "canceled"],
    ] as const) {
      const world = await stoppedAtCanary();
      await say(world, signal("retry"));
      await say(world, signal(word));
      const before = latest(world).events.length;
      const result = await world.applied(desired("two\n"));
      expect(result.held[0]?.why, word).toContain(`its rollout is ${state}: `);
      expect([result.retried, latest(world).events.length, world.sites]).toEqual([
        [],
        before,
        ["one\n", "one\n", "one\n", "one\n"],
      ]);
    }
  });

  it("does not settle what is inconclusive: that takes a person's own word", async () => {
    const world = await stoppedAtCanary();
    await say(world, signal("retry"));
    await say(world, { event: "node-started", node: "a", wave: 0 });
    await say(world, { event: "node-failed", node: "a", outcome: "failed", message: "x" });
    await say(world, { event: "paused", reason: "inconclusive", detail: "it was already true" });
    expect(latest(world).rollout).toMatchObject({ reason: { code: "inconclusive" }, ignored: [] });
    const result = await world.applied(desired("two\n"));
    expect([result.retried, result.held.length, world.sites]).toEqual([[], 4, ["one\n", "one\n", "one\n", "one\n"]]);
  });
});
