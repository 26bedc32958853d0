import type { IgnoredDrift } from "../desired/desired-state.ts";
import type { RecordedItem } from "./recorded-items.ts";

/** The entry that an item of a node falls under; undefined: it counts. */
export type Ignores = (node: string, item: Pick<RecordedItem, "resource">) => IgnoredDrift | undefined;

/** `drift.ignore` at a moment (DESIGN §3). Where nothing is ignored it costs nothing. */
export function ignoredDrift(entries: readonly IgnoredDrift[], now: Date): Ignores {
  const live = entries.filter((entry) => !isExpiredIgnore(entry, now));
  return (node, { resource }) => live.find((entry) => entry.host === node && entry.resource === resource.id);
}

/** A date is its whole day, in UTC. */
export function isExpiredIgnore({ until }: IgnoredDrift, now: Date): boolean {
  const end = Date.parse(until) + (/T/.test(until) ? 0 : DAY_MS);
  return end <= now.getTime();
}

const DAY_MS = 86_400_000;
