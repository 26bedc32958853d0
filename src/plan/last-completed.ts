import type { RolloutEvent } from "../model/rollout-event.ts";

export interface CompletedRollout {
  readonly digest: string;
  readonly generation: number;
  readonly commit: string;
  /** RFC 3339. */
  readonly at: string;
}

/**
 * The newest completed rollout of a unit that had another digest than `current`, and, where `current` itself was rolled out,
 * came before it: where `revert` of a unit goes back to (DESIGN §3.1). null: the record knows of none.
 */
export function lastCompletedBefore(
  rollouts: ReadonlyMap<string, readonly RolloutEvent[]>,
  unit: string,
  current: string | null,
): CompletedRollout | null {
  const isOwn = (one: RolloutEvent) => one.event === "created" && one.unit === unit;
  const own = [...rollouts.values()].filter((events) => events.some(isOwn));
  const created = own
    .flat()
    .flatMap((one) => (one.event === "created" && one.digest === current ? one.generation : []));
  const limit = Math.min(...created);
  const completed = own.flatMap((events) => completedRound(events) ?? []);
  const before = completed.filter(({ digest, generation }) => digest !== current && generation <= limit);
  return before.sort((a, b) => b.generation - a.generation || (a.at < b.at ? 1 : -1))[0] ?? null;
}

/** The first round that completed, unless the rollout was taken back later. */
function completedRound(events: readonly RolloutEvent[]): CompletedRollout | null {
  const end = events.findLast(({ event }) => event === "completed" || event === "rolled-back");
  const at = events.findIndex(({ event }) => event === "completed");
  if (at === -1 || end?.event === "rolled-back") return null;
  const begin = events.slice(0, at).findLast((one) => one.event === "created");
  if (begin?.event !== "created") return null;
  return { digest: begin.digest, generation: begin.generation, commit: begin.commit, at: events[at]?.at ?? begin.at };
}
