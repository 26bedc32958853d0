import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { Heartbeat } from "../model/node-record.ts";

export interface Attempt {
  readonly outcome: NodeOutcome;
  /** RFC 3339. */
  readonly at: string;
  /** Of a down verdict, when it was asked just now. */
  readonly recheck: Heartbeat["recheck"];
  readonly driftSeen: Readonly<Record<string, number>> | null;
}

/** What an attempt at reading a node makes of its sign of life (DESIGN §4). Messages are as the record takes them. */
export function nextHeartbeat(before: Heartbeat | undefined, attempt: Attempt): Heartbeat {
  const { outcome, at, driftSeen } = attempt;
  const answered = OUTCOMES[outcome.outcome].observed;
  return {
    observed_at: answered ? at : (before?.observed_at ?? null),
    attempted_at: at,
    outcome: outcome.outcome,
    message: outcome.message.slice(0, MOST_WORDS),
    failing_since: answered ? null : (before?.failing_since ?? at),
    recheck: attempt.recheck,
    ...(driftSeen === null || Object.keys(driftSeen).length === 0 ? {} : { drift_seen: driftSeen }),
  };
}

const MOST_WORDS = 4000;

/** Milliseconds that two clocks may differ. */
const CLOCK_TOLERANCE = 5 * 60_000;

/**
 * Whether another run turned to the node after ours did, so that its word stays. One that is ahead of this moment was written
 * by a wrong clock: it would silence every later run until that day.
 */
export function isOvertaken(own: Heartbeat, there: Heartbeat, now: Date): boolean {
  const at = Date.parse(there.attempted_at);
  return at > Date.parse(own.attempted_at) && at <= now.getTime() + CLOCK_TOLERANCE;
}
