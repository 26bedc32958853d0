import type { RolloutEvent } from "../model/rollout-event.ts";
import { foldRollout } from "./fold-rollout.ts";
import { lastCompletedBefore } from "./last-completed.ts";
import { type Rollout, TERMINAL } from "./rollout.ts";

type Logs = ReadonlyMap<string, readonly RolloutEvent[]>;

/** `lastMs`: when anything was last said of it. Clocks differ, so it is not simply when its last event was. */
interface Aged {
  readonly rollout: Rollout;
  readonly lastMs: number;
}

/**
 * Ids of rollouts whose event logs may go (DESIGN §4, decision 014): they are terminal, and all of their events are older than
 * `before`. Of each unit the newest rollout stays, however old, and so does the one that `revert` would go back to: later
 * rounds and the board stand on them. A log that begins no rollout stays as well.
 */
export function outlivedRollouts(logs: Logs, before: Date): readonly string[] {
  const aged = [...logs.values()].flatMap((events): readonly Aged[] => {
    const rollout = foldRollout(events);
    return rollout === null ? [] : [{ rollout, lastMs: Math.max(...events.map(({ at }) => Date.parse(at))) }];
  });
  const over = aged.filter(({ rollout, lastMs }) => TERMINAL.has(rollout.state) && lastMs < before.getTime());
  const units = new Set(over.map(({ rollout }) => rollout.unit));
  const kept = new Set([...units].flatMap((unit) => keptOf(unit, aged, logs)));
  return over.flatMap(({ rollout: { id, unit, digest } }) => (kept.has(`${unit} ${digest}`) ? [] : id)).sort();
}

/** The newest of a unit by generation and by clock, which may be two, and what each would be taken back to. */
function keptOf(unit: string, aged: readonly Aged[], logs: Logs): readonly string[] {
  const own = aged.filter(({ rollout }) => rollout.unit === unit);
  const byGeneration = own.toSorted((a, b) => a.rollout.generation - b.rollout.generation || a.lastMs - b.lastMs);
  const byClock = byGeneration.toSorted((a, b) => a.lastMs - b.lastMs);
  const newest = [...byGeneration.slice(-1), ...byClock.slice(-1)];
  const digests = newest.flatMap(({ rollout: { digest } }) => [
    digest,
    lastCompletedBefore(logs, unit, digest)?.digest ?? digest,
  ]);
  return digests.map((digest) => `${unit} ${digest}`);
}
