import type { RolloutEvent } from "../model/rollout-event.ts";
import { parseUnit } from "../model/unit.ts";
import type { ObservedRecord } from "./observed-record.ts";

/** By unit: milliseconds that a node took, the median of all that are on record. */
export function nodeDurations({ rollouts }: ObservedRecord): ReadonlyMap<string, number> {
  const taken = new Map<string, number[]>();
  for (const [id, events] of rollouts) {
    const unit = id.slice(0, id.lastIndexOf("@"));
    if (parseUnit(unit) === undefined) continue;
    taken.set(unit, [...(taken.get(unit) ?? []), ...durationsIn(events)]);
  }
  return new Map([...taken].flatMap(([unit, values]) => (values.length === 0 ? [] : [[unit, median(values)]])));
}

/** Waves one after the other, in each `parallel` nodes at a time; null: it never ran before. */
export function expectedDuration(
  waves: readonly (readonly string[])[],
  perNode: number | undefined,
  parallel: number,
): number | null {
  if (perNode === undefined) return null;
  return waves.reduce((sum, wave) => sum + Math.ceil(wave.length / parallel) * perNode, 0);
}

function durationsIn(events: readonly RolloutEvent[]): number[] {
  const begun = new Map<string, number>();
  return events.flatMap((event) => {
    if (event.event === "node-started") begun.set(event.node, Date.parse(event.at));
    if (event.event !== "node-succeeded") return [];
    const from = begun.get(event.node);
    const took = from === undefined ? Number.NaN : Date.parse(event.at) - from;
    return took >= 0 ? [took] : [];
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
