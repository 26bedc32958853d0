import { compareText } from "../kit/compare-text.ts";
import type { DriftItem } from "../model/drift-item.ts";
import type { NodeReport } from "../model/node-record.ts";

export type RecordedItem = NodeReport["items"][number];

/**
 * Items as they are recorded: by role, type and id, and without any hash of a secret (DESIGN §4). Hashes are keyed anew in
 * each run, so a drift that did not change would be news each time; that a value differs is told by the item itself.
 */
export function recordedItems(items: readonly (DriftItem | RecordedItem)[]): RecordedItem[] {
  return items.map(withoutHashes).sort((a, b) => compareText(itemKey(a), itemKey(b)));
}

/** One drift item per resource (DESIGN §3.2), so this names an item of a node. */
export function itemKey({ role, resource }: Pick<RecordedItem, "role" | "resource">): string {
  return JSON.stringify([role, resource.type, resource.id]);
}

/** The unit that an item is about: a role's items carry its bare name, an agent's `agent:<name>` (DESIGN §3.6). */
export function unitOfItem({ role }: Pick<RecordedItem, "role">): string {
  return role.startsWith("agent:") ? role : `role:${role}`;
}

function withoutHashes(item: DriftItem | RecordedItem): RecordedItem {
  if (item.resource.type !== "env" || !isRecord(item.observed) || !isRecord(item.observed.vars)) return { ...item };
  const declared = isRecord(item.declared) && isRecord(item.declared.vars) ? item.declared.vars : {};
  // Whatever the repository does not say in clear itself may be a secret, whatever form it has.
  const vars = Object.entries(item.observed.vars).map(([name, value]) => [
    name,
    Object.hasOwn(declared, name) && declared[name] === value ? value : "hidden",
  ]);
  return { ...item, observed: { ...item.observed, vars: Object.fromEntries(vars) } };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
