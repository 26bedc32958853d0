import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { portrait } from "../adapters/memory-fixture.ts";
import { desired, NODES } from "./generated-fleet.ts";
import { applyUntilKnown, fleetWith, history } from "./history.ts";
import { expectNoRestartLost } from "./restarts.ts";
import { PROPERTY_RUNS, run } from "./run-in-memory.ts";

describe("apply", () => {
  it("then check is empty, whatever was there before", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (past) => {
        const fleet = await fleetWith(past);
        const state = desired(past.after);
        await applyUntilKnown(state, fleet);
        const applied = await run("apply", state, fleet);
        expect(applied.result.outcomes).toEqual(NODES.map((node) => ({ node, outcome: "converged", message: "" })));
        const checked = await run("check", state, fleet);
        expect(checked.result.reports.flatMap((report) => report.items)).toEqual([]);
        for (const node of fleet.values()) expectNoRestartLost(node, past.after);
      }),
      PROPERTY_RUNS,
    );
  });

  it("again does nothing, in one round trip a node", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (past) => {
        const fleet = await fleetWith(past);
        const state = desired(past.after);
        await applyUntilKnown(state, fleet);
        await run("apply", state, fleet);
        const before = [...fleet.values()].map(portrait);
        const again = await run("apply", state, fleet);
        expect(again.outcomes).toEqual(NODES.map(() => "converged"));
        expect([...fleet.values()].map(portrait)).toEqual(before);
        expect(NODES.map(again.calls)).toEqual(NODES.map(() => ({ observe: 1, change: 0 })));
      }),
      PROPERTY_RUNS,
    );
  });

  it("and check read each node once, and change it at most once", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (past) => {
        const fleet = await fleetWith(past);
        const state = desired(past.after);
        const before = [...fleet.values()].map(portrait);
        const checked = await run("check", state, fleet);
        expect(NODES.map(checked.calls)).toEqual(NODES.map(() => ({ observe: 1, change: 0 })));
        expect([...fleet.values()].map(portrait)).toEqual(before);
        const applied = await run("apply", state, fleet);
        for (const name of NODES)
          expect(applied.calls(name)).toMatchObject({ observe: 1, change: applied.calls(name).change > 0 ? 1 : 0 });
      }),
      PROPERTY_RUNS,
    );
  });
});
