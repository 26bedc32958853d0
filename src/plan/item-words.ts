import type { RecordedItem } from "./recorded-items.ts";

/** `file:/etc/edge (write), unit:edge.service (start) and 3 more`. */
export function itemsWords(items: readonly RecordedItem[]): string {
  const told = items.slice(0, 2).map(({ resource, action_to_apply }) => `${resource.id} (${action_to_apply.verb})`);
  return `${told.join(", ")}${items.length > 2 ? ` and ${items.length - 2} more` : ""}`;
}

/** When the first of them was seen first (RFC 3339); null: none says so. */
export function firstSeen(items: readonly RecordedItem[]): string | null {
  const seen = items.flatMap(({ discovered_at }) => discovered_at ?? []);
  return seen.sort((a, b) => Date.parse(a) - Date.parse(b))[0] ?? null;
}
