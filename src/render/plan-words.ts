import type { PlanCounts, PlanDocument, PlannedItem, PlannedUnit } from "../model/plan-document.ts";
import { restartOf } from "../plan/blast-radius.ts";

/** Names beyond these are counted; the document has all. */
const MOST_NAMES = 12;

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

export function namesWords(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(" ");
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

/** `4 create · 11 change · up to 2 remove`, without what there is none of. `unread`: see {@link unreadRemovals}. */
export function countsWords(counts: PlanCounts, unread = 0): string {
  const kinds = ["create", "change", "remove", "restart", "keep", "obstacle"] as const;
  const told = kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${kind === "remove" && unread > 0 ? "up to " : ""}${counts[kind]} ${kind}`);
  return told.length === 0 ? "nothing to do" : told.join(" · ");
}

/** How many of the removals are of something that nobody has read to be there. */
export function unreadRemovals(units: readonly Pick<PlannedUnit, "groups">[]): number {
  let count = 0;
  for (const { nodes, items } of units.flatMap(({ groups }) => groups))
    count += nodes.length * items.filter(({ kind, basis }) => kind === "remove" && basis === "unknown").length;
  return count;
}

export function generationWords({ base, head, blocks }: Pick<PlanDocument, "base" | "head" | "blocks">): string {
  const to = head.generation === null ? "unreadable" : String(head.generation);
  if (base === null) return blocks.length > 0 ? `generation ${to}` : `generation ${to}, nothing reconciled yet`;
  return String(base.generation) === to ? `generation ${to}` : `generation ${base.generation} → ${to}`;
}

/** `role:edge 7 → 8`. */
export function unitWords({ unit, version }: Pick<PlannedUnit, "unit" | "version">): string {
  if (version === null) return unit;
  if (version.from === null) return `${unit} ${version.to}, new`;
  return version.from === version.to ? `${unit} ${version.to}` : `${unit} ${version.from} → ${version.to}`;
}

/** What the next run does, in words. */
export function nextWords({ next }: Pick<PlannedUnit, "next">): string {
  switch (next.kind) {
    case "start":
      return BECAUSE[next.because ?? "first"];
    case "continue":
      return `round ${next.round ?? 1} goes on`;
    case "stopped":
      return [next.state ?? "stopped", next.detail].filter((part) => part !== "").join(": ");
    case "nobody":
      return next.detail;
    case "waiting":
      return `waits for ${next.waiting_on.join(", ")}`;
    case "observe":
      return "only observed, nothing is done";
    case "nothing":
      return "nothing to do";
  }
}

const BECAUSE: Readonly<Record<NonNullable<PlannedUnit["next"]["because"]>, string>> = {
  first: "a new rollout",
  changed: "its nodes are to be something else",
  joined: "for nodes that have newly got it",
  heal: "heals what was lost",
  leaving: "lets go of nodes that no longer have it",
  restarted: "started anew",
};

/** 90000 → `2 min`; milliseconds. */
export function durationWords(ms: number): string {
  if (ms < 60_000) return `${Math.max(1, Math.round(ms / 1000))} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

/** 2026-11-29 06:00 UTC. */
export function momentWords(moment: string): string {
  return `${new Date(moment).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** `restart`, or the verb with what it was for. */
export function verbWords(item: PlannedItem): string {
  const restart = restartOf(item);
  if (item.kind === "restart" && restart !== null) return restart;
  if (item.kind === "keep") return "keep";
  if (item.kind === "obstacle") return "cannot";
  return restart === null ? item.verb : `${item.verb} (${restart})`;
}

/** Codes of reasons. What is not there yet is started, and not restarted as well; of what nobody has read there is none. */
export function reasonsWords(item: PlannedItem): string {
  const { kind, basis, verb, reasons } = item;
  if (kind === "remove" && basis === "unknown") return "";
  const starts = verb === "start" && restartOf(item) === null;
  return reasons.filter((reason) => !(starts && (reason === "restart-due" || reason === "reload-due"))).join(", ");
}
