import type { Fleet, Node } from "../desired/desired-state.ts";
import type { Heartbeat } from "../model/node-record.ts";

/** A node of which nothing is known as it is now, and no verdict says so. */
export interface AuditedSilence {
  readonly node: string;
  /** `stale`: longer than `heartbeat_stale` · `unreachable`: not this time · `never-reported`: not once. */
  readonly reason: "never-reported" | "unreachable" | "stale";
  /** RFC 3339; when it last answered, null: never. */
  readonly since: string | null;
  readonly detail: string;
  readonly hint: string;
}

/** Those that were attempted just now and did not answer, each with what to do about it (rollout-model §6). */
export function auditSilence(
  nodes: readonly Node[],
  heartbeats: ReadonlyMap<string, Heartbeat>,
  verdicts: readonly { readonly node: string; readonly standing: string }[],
  now: Date,
  { heartbeatStaleMs }: Pick<Fleet["rollout"], "heartbeatStaleMs">,
): readonly AuditedSilence[] {
  const down = new Set(verdicts.filter(({ standing }) => standing === "live").map(({ node }) => node));
  return nodes.flatMap(({ name }) => {
    const heartbeat = heartbeats.get(name);
    if (heartbeat === undefined || heartbeat.failing_since === null || down.has(name)) return [];
    const { observed_at: since, outcome, message } = heartbeat;
    const reason = since === null ? "never-reported" : isOlder(since, now, heartbeatStaleMs) ? "stale" : "unreachable";
    const detail = message === "" ? outcome : `${outcome}: ${message}`;
    return { node: name, reason, since, detail, hint: HINTS[reason](name) };
  });
}

function isOlder(since: string, now: Date, staleMs: number): boolean {
  return Math.abs(now.getTime() - Date.parse(since)) > staleMs;
}

const HINTS: Record<AuditedSilence["reason"], (node: string) => string> = {
  "never-reported": (node) =>
    `it has never answered: mend its address, key or host key (rollcall check ${node}), or take it out with enabled=false`,
  unreachable: (node) => `it answered before: look at it (rollcall check ${node}), or say rollcall node down ${node}`,
  stale: (node) =>
    `it is silent for too long: bring it back, or say rollcall node down ${node} or node set ${node} state=retired`,
};
