import type { PlanDocument, PlannedItem } from "../model/plan-document.ts";

/** One thing that a plan does on one node. */
export interface PlannedVisit {
  readonly unit: string;
  readonly node: string;
  readonly item: PlannedItem;
}

/** A plan's groups taken apart: every item of every node, in the plan's order. */
export function* plannedVisits({ units }: PlanDocument): Generator<PlannedVisit> {
  for (const { unit, groups } of units)
    for (const { nodes, items } of groups)
      for (const node of nodes) for (const item of items) yield { unit, node, item };
}
