import type { PlanDocument, PlannedUnit } from "../model/plan-document.ts";

/**
 * What several reviews come to together (DESIGN §6): whatever stands in any of them was reviewed. `documents`: the newest
 * first, whose word counts where two say otherwise of one node. null: there is none.
 */
export function unionOfReviews(documents: readonly PlanDocument[]): PlanDocument | null {
  const [first, ...others] = documents;
  if (first === undefined) return null;
  const units = new Map<string, PlannedUnit>();
  for (const unit of [first, ...others].flatMap((document) => document.units)) {
    const known = units.get(unit.unit);
    units.set(unit.unit, known === undefined ? unit : together(known, unit));
  }
  return { ...first, units: [...units.values()] };
}

function together(newer: PlannedUnit, older: PlannedUnit): PlannedUnit {
  const names = new Set(newer.targets.map(({ node }) => node));
  return {
    ...newer,
    risk: newer.risk === "risky" || older.risk === "risky" ? "risky" : "safe",
    targets: [...newer.targets, ...older.targets.filter(({ node }) => !names.has(node))],
    groups: [...newer.groups, ...older.groups],
  };
}

/** As if somebody had seen which units go where, and none of what is done there: what nobody reviewed is measured by it. */
export function unseenItems(fresh: PlanDocument): PlanDocument {
  return { ...fresh, units: fresh.units.map((unit) => ({ ...unit, groups: [] })) };
}
