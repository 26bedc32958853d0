import type { RolloutEvent } from "../model/rollout-event.ts";
import { foldRollout } from "./fold-rollout.ts";
import { lastCompletedBefore } from "./last-completed.ts";
import { type Rollout, TERMINAL } from "./rollout.ts";

/**
 * Ids of rollouts whose event logs may go (DESIGN §4, decision 014): they are terminal, and their last event is older than
 * `before` (RFC 3339 moments are compared as moments). Of each unit the newest rollout stays, however old, and so does the one
 * that `revert` would go back to: later rounds and the board stand on them.
 */
export function outlivedRollouts(
  rollouts: ReadonlyMap<string, readonly RolloutEvent[]>,
  before: Date,
): readonly string[] {
  const folded = [...rollouts.values()].flatMap((events) => foldRollout(events) ?? []);
  const kept = new Set<string>();
  for (const unit of new Set(folded.map((rollout) => rollout.unit))) {
    const newest = newestOf(folded.filter((rollout) => rollout.unit === unit));
    const target = lastCompletedBefore(rollouts, unit, newest.digest);
    kept.add(newest.digest).add(target?.digest ?? newest.digest);
  }
  return folded
    .filter(({ state, lastAt, digest }) => TERMINAL.has(state) && isOlder(lastAt, before) && !kept.has(digest))
    .map(({ id }) => id)
    .sort();
}

function newestOf(rollouts: readonly Rollout[]): Rollout {
  return rollouts.reduce((a, b) => (Date.parse(b.lastAt) > Date.parse(a.lastAt) ? b : a));
}

function isOlder(at: string, before: Date): boolean {
  return Date.parse(at) < before.getTime();
}
