import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { portrait } from "../adapters/memory-fixture.ts";
import { desired, fleetSpec, NODES } from "./generated-fleet.ts";
import { applyUntilKnown, fleetWith, history } from "./history.ts";
import { expectNoRestartLost } from "./restarts.ts";
import { PROPERTY_RUNS, run } from "./run-in-memory.ts";

/** How late each node answers a controller: the interleavings of the two. */
const lateness: fc.Arbitrary<readonly Fault[]> = fc
  .tuple(...NODES.map(() => fc.tuple(fc.nat(40), fc.nat(40))))
  .map((turns) =>
    turns.flatMap(([observe, change], index) => [
      { node: NODES[index] ?? "", fault: "late" as const, turns: observe, on: { kind: "observe" as const } },
      { node: NODES[index] ?? "", fault: "late" as const, turns: change, on: { kind: "change" as const } },
    ]),
  );

/** What was done to a node, in order; contents by their digest. */
const done = (node: MemoryNode): string[] => (node.journal ?? []).map(({ effect }) => JSON.stringify(effect));

describe("two controllers at once", () => {
  it("that want the same do it once", async () => {
    await fc.assert(
      fc.asyncProperty(history, lateness, lateness, async (past, late, later) => {
        const state = desired(past.after);
        const alone = await fleetWith(past);
        const fleet = await fleetWith(past);
        await Promise.all([applyUntilKnown(state, alone), applyUntilKnown(state, fleet)]);
        await run("apply", state, alone);
        const both = await Promise.all([run("apply", state, fleet, late), run("apply", state, fleet, later)]);
        expect(both.flatMap(({ outcomes }) => outcomes)).toEqual([...NODES, ...NODES].map(() => "converged"));
        for (const name of NODES) {
          const [one, other] = [fleet.get(name), alone.get(name)];
          if (one === undefined || other === undefined) throw new Error(`${name} is not there`);
          expect(portrait(one)).toEqual(portrait(other));
          expect(done(one)).toEqual(done(other));
        }
      }),
      PROPERTY_RUNS,
    );
  });

  it("that want different things leave each node as one of them wants it", async () => {
    await fc.assert(
      fc.asyncProperty(history, fleetSpec, lateness, lateness, async (past, rival, late, later) => {
        const wishes = [past.after, rival];
        const fleet = await fleetWith(past);
        for (const wish of wishes) await applyUntilKnown(desired(wish), fleet);
        await Promise.all([run("apply", desired(past.after), fleet, late), run("apply", desired(rival), fleet, later)]);
        const clean = await Promise.all(wishes.map((wish) => run("check", desired(wish), fleet)));
        for (const [index, name] of NODES.entries()) {
          const winner = wishes[clean.findIndex(({ outcomes }) => outcomes[index] === "converged")];
          const node = fleet.get(name);
          if (winner === undefined || node === undefined) throw new Error(`${name} is as neither wants it`);
          expectNoRestartLost(node, winner);
        }
      }),
      PROPERTY_RUNS,
    );
  });
});
