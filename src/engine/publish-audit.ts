import type { Heartbeat, NodeReport } from "../model/node-record.ts";
import { HEARTBEATS, liveReportPath } from "../model/observed-layout.ts";
import { isOvertaken } from "../plan/next-heartbeat.ts";
import { readRecord } from "../plan/read-record.ts";
import { heartbeatsText, nodeReportText } from "../plan/record-files.ts";
import type { Clock, ObservedFiles, ObservedWrites } from "../ports.ts";
import type { AuditScope, Recorded } from "./audit-scope.ts";
import { forgotten } from "./forgotten-nodes.ts";

/** Heartbeats and full reports go to `observed-live`, and nowhere else (DESIGN §4). */
export async function publishAudit(
  { state, store, main }: AuditScope,
  heartbeats: ReadonlyMap<string, Heartbeat>,
  looks: ReadonlyMap<string, NodeReport>,
  clock: Clock,
): Promise<Recorded> {
  if (store === null) return { ok: null, why: "this folder has no git history, so there is no record" };
  if (!main.is) return { ok: null, why: `${main.why}; the record is of main only` };
  const known = new Set(state.nodes.filter((node) => node.state === "active").map(({ name }) => name));
  const answer = await store.publish((live) => liveWrites(live, { known, heartbeats, looks, now: clock.now() }));
  if (answer.kind === "recorded" || answer.kind === "unchanged") return { ok: true };
  if (answer.kind === "failed") {
    const { code, message, hint } = answer;
    return { ok: false, code, message, hint };
  }
  return { ok: false, code: answer.kind, message: `${answer.by} holds the lock`, hint: "run the audit again" };
}

interface Published {
  readonly known: ReadonlySet<string>;
  readonly heartbeats: ReadonlyMap<string, Heartbeat>;
  readonly looks: ReadonlyMap<string, NodeReport>;
  readonly now: Date;
}

/** On top of whatever stands there by now: of two attempts at one node the later one stays. */
function liveWrites(live: ObservedFiles, { known, heartbeats, looks, now }: Published): ObservedWrites {
  const before = readRecord(NO_FILES, live);
  const merged = new Map([...before.heartbeats].filter(([node]) => known.has(node)));
  const writes = new Map<string, string | null>();
  for (const [node, heartbeat] of heartbeats) {
    const other = before.heartbeats.get(node);
    if (other !== undefined && isOvertaken(heartbeat, other, now)) continue;
    merged.set(node, heartbeat);
    const look = looks.get(node);
    if (look !== undefined) writes.set(liveReportPath(node), nodeReportText(look));
  }
  writes.set(HEARTBEATS, heartbeatsText(merged));
  for (const path of forgotten(live, known)) writes.set(path, null);
  return writes;
}

const NO_FILES: ObservedFiles = { commit: null, paths: [], read: () => undefined };
