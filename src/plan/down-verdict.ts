import type { DownVerdict } from "../desired/desired-state.ts";
import type { Heartbeat } from "../model/node-record.ts";

/** A verdict lasts 30 days (rollout-model §6): undated it would be a rumour that outlives its evidence. */
const DOWN_DAYS = 30;
const DAY_MS = 86_400_000;

export type DownStanding =
  | { readonly standing: "none" }
  /** Only this keeps a node out of waves. `until`: RFC 3339. */
  | { readonly standing: "live"; readonly until: string }
  /** `until` is null where nobody can tell from when it counts: then it does not count at all. */
  | { readonly standing: "expired"; readonly until: string | null }
  /** Its own recheck has passed since. `at`: RFC 3339. */
  | { readonly standing: "refuted"; readonly until: string; readonly at: string };

/** Whether a down verdict still holds. In doubt it does not: the node is attempted then, and its failure is loud. */
export function downStanding(down: DownVerdict | null, heartbeat: Heartbeat | undefined, now: Date): DownStanding {
  if (down === null) return { standing: "none" };
  const since = Date.parse(down.since);
  // A date is its whole day, and somewhere it has begun a day earlier; beyond that a verdict of the future is none yet.
  if (Number.isNaN(since) || since - now.getTime() > DAY_MS) return { standing: "expired", until: null };
  const until = new Date(since + DOWN_DAYS * DAY_MS).toISOString();
  const passed = lastPass(down, heartbeat);
  const said = /^\d{4}-\d{2}-\d{2}$/.test(down.since) ? since + DAY_MS : since;
  if (passed !== null && Date.parse(passed) > said) return { standing: "refuted", until, at: passed };
  return Date.parse(until) <= now.getTime() ? { standing: "expired", until } : { standing: "live", until };
}

/** When the recheck passed, if that is the last that is known of it; null otherwise. To be read is to be reachable. */
function lastPass(down: DownVerdict, heartbeat: Heartbeat | undefined): string | null {
  if (heartbeat === undefined) return null;
  if (heartbeat.recheck !== null) return heartbeat.recheck.passed ? heartbeat.recheck.at : null;
  return down.recheck === "reachable" && heartbeat.failing_since === null ? heartbeat.observed_at : null;
}
