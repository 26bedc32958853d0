import { stableJson } from "../kit/stable-json.ts";
import type { PlanDocument, PlannedItem } from "../model/plan-document.ts";
import { plannedVisits } from "./planned-visits.ts";

/** What is another thing in a fresh plan than in the one that was reviewed. */
export interface Moved {
  readonly code: "gone" | "new" | "changed";
  readonly unit: string;
  readonly node: string;
  /** The resource's id. */
  readonly subject: string;
  /** `write → none`. */
  readonly text: string;
}

/** All that moved between two plans, whether it escalates or not, by unit, node and resource (DESIGN §6: reported). */
export function moved(reviewed: PlanDocument, fresh: PlanDocument): readonly Moved[] {
  const before = byPlace(reviewed);
  const after = byPlace(fresh);
  const places = [...new Set([...before.keys(), ...after.keys()])].sort();
  return places.flatMap((place): Moved[] => {
    const [was, is] = [before.get(place), after.get(place)];
    const at = was ?? is;
    if (at === undefined || (was !== undefined && is !== undefined && told(was.item) === told(is.item))) return [];
    const code = was === undefined ? "new" : is === undefined ? "gone" : "changed";
    const text = `${wordOf(was?.item)} → ${wordOf(is?.item)}`;
    return [{ code, unit: at.unit, node: at.node, subject: at.item.resource, text }];
  });
}

function byPlace(document: PlanDocument) {
  return new Map(
    [...plannedVisits(document)].map((visit) => [
      `${visit.unit}\n${visit.node}\n${visit.item.role} ${visit.item.resource}`,
      visit,
    ]),
  );
}

/** How it is known, and what is quoted of a file, is not what is done. */
function told({ basis: _basis, why: _why, content: _content, ...done }: PlannedItem): string {
  return stableJson(done);
}

function wordOf(item: PlannedItem | undefined): string {
  return item === undefined ? "none" : `${item.verb} (${item.reasons.join(", ")})`;
}
