import type { Heartbeat } from "../model/node-record.ts";

/** Why nothing is known of a node as it is now (rollout-model §6). */
export interface Silence {
  readonly reason: "never-reported" | "unreachable" | "stale";
  /** RFC 3339; null: nobody knows. */
  readonly since: string | null;
  /** One line for people. */
  readonly detail: string;
}

/** null: it answered the last time, and that is no longer ago than `staleMs`. */
export function silenceOf(heartbeat: Heartbeat | undefined, now: Date, staleMs: number): Silence | null {
  if (heartbeat === undefined) return { reason: "never-reported", since: null, detail: "" };
  const { observed_at, failing_since, message, outcome } = heartbeat;
  if (failing_since !== null)
    return { reason: "unreachable", since: failing_since, detail: message === "" ? outcome : `${outcome}: ${message}` };
  if (observed_at === null) return { reason: "never-reported", since: null, detail: "" };
  // A clock that is ahead must not keep a node alive for ever.
  const fresh = Math.abs(now.getTime() - Date.parse(observed_at)) <= staleMs;
  return fresh ? null : { reason: "stale", since: observed_at, detail: `last read ${observed_at}` };
}
