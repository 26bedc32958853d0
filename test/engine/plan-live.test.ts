import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MemoryFleet, MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { memorySimulator } from "../../src/adapters/memory/simulator.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { IMAGINED_SECRETS } from "../../src/engine/imagined-run.ts";
import { type PlanItems, planItems } from "../../src/engine/plan-items.ts";
import { sourceOf } from "../../src/engine/role-grounds.ts";
import { desired, fleetSpec, newNode } from "./generated-fleet.ts";
import { applyUntilKnown } from "./history.ts";
import { provedRecord } from "./proved-record.ts";
import { PROPERTY_RUNS, run, runContext } from "./run-in-memory.ts";

const UNITS = ["role:host", "role:web"];
const NOW = new Date("2026-11-30T10:00:00Z");

/** Only looks. */
class ReadingTransport extends MemoryTransport {
  override change(...[target]: Parameters<MemoryTransport["change"]>): ReturnType<MemoryTransport["change"]> {
    throw new Error(`a plan changed ${target.name}`);
  }
}

async function proved(base: DesiredState): Promise<MemoryFleet> {
  const fleet = new Map([["web-01", newNode("web-01")]]);
  await applyUntilKnown(base, fleet);
  await run("apply", base, fleet);
  return fleet;
}

async function planned(before: DesiredState, after: DesiredState, fleet: MemoryFleet | null) {
  const visits = new Map([["web-01", UNITS.map((unit) => ({ unit, action: "converge" as const }))]]);
  const input = {
    head: sourceOf(after),
    sources: [sourceOf(before), sourceOf(after)],
    record: provedRecord(before),
    simulator: memorySimulator,
    now: NOW,
  };
  const live = fleet === null ? null : { run: runContext(new ReadingTransport(fleet)), secrets: IMAGINED_SECRETS };
  return planItems(visits, input, live);
}

function told(items: PlanItems) {
  return UNITS.map((unit) => [
    unit,
    (items.get(unit)?.get("web-01") ?? []).map(({ role, resource, verb, kind }) => [role, resource, verb, kind]),
  ]);
}

describe("a plan that asks the nodes", () => {
  it("finds, unit by unit, what was predicted for a node that is as it proved to be, and changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fleetSpec, fleetSpec, async (base, head) => {
        // Which version a node has is not known without asking it.
        fc.pre(base.tool !== "present" || !head.tool.startsWith("1."));
        const alone = (state: DesiredState) => ({
          ...state,
          nodes: state.nodes.filter(({ name }) => name === "web-01"),
        });
        const [before, after] = [alone(desired(base)), alone(desired(head))];
        const live = await planned(before, after, await proved(before));
        expect(told(live.items)).toEqual(told((await planned(before, after, null)).items));
        expect([...live.asked]).toEqual([["web-01", new Date(0).toISOString()]]);
      }),
      PROPERTY_RUNS,
    );
  });
});
