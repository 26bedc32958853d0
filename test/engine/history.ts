import fc from "fast-check";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import type { MemoryFleet } from "../../src/adapters/memory/memory-transport.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import { desired, type FleetSpec, fleetSpec, NODES, newNode, tamper, tampering } from "./generated-fleet.ts";
import { run } from "./run-in-memory.ts";

export interface History {
  /** What the nodes once converged to; null: they are new. */
  readonly before: FleetSpec | null;
  readonly tampering: readonly NodeEffect[];
  readonly after: FleetSpec;
}

export const history: fc.Arbitrary<History> = fc.record({ before: fc.option(fleetSpec), tampering, after: fleetSpec });

/** Nodes with that past; the same for the same past. */
export async function fleetWith({ before, tampering: effects }: History): Promise<MemoryFleet> {
  const fleet = new Map(NODES.map((name) => [name, newNode(name)]));
  if (before !== null) {
    await applyUntilKnown(desired(before), fleet);
    await run("apply", desired(before), fleet);
  }
  for (const node of fleet.values()) tamper(node, effects);
  return fleet;
}

/**
 * A link by which a unit was enabled can outlive the unit's file. Nobody sees that the unit is enabled until a run brings
 * the file back, so that it takes one run more to disable it.
 */
export async function applyUntilKnown(state: DesiredState, fleet: MemoryFleet): Promise<void> {
  const hidden = (node: MemoryNode) => [...node.files.links()].some((link) => node.files.follow(link) === undefined);
  if ([...fleet.values()].some(hidden)) await run("apply", state, fleet);
}
