import type { NodeOutcome } from "../model/node-outcome.ts";
import { type Heartbeat, type NodeReport, nodeReportSchema } from "../model/node-record.ts";
import { HEARTBEATS, liveReportPath } from "../model/observed-layout.ts";
import { mergedReport } from "../plan/merge-report.ts";
import { isOvertaken, nextHeartbeat } from "../plan/next-heartbeat.ts";
import { readRecord } from "../plan/read-record.ts";
import { heartbeatsText, nodeReportText } from "../plan/record-files.ts";
import type { ObservedFiles, ObservedWrites } from "../ports.ts";
import { forgotten } from "./forgotten-nodes.ts";

interface LiveReport {
  readonly node: string;
  readonly report: NodeReport;
  readonly units: ReadonlySet<string> | null;
}

/** What a run has for `observed-live` (DESIGN §4): signs of life and reports, on top of what others put there. */
export class LiveNotes {
  readonly #nodes: ReadonlySet<string>;
  readonly #heartbeats = new Map<string, Heartbeat>();
  readonly #reports: LiveReport[] = [];

  /** `nodes`: of all others what is there goes. */
  constructor(nodes: ReadonlySet<string>) {
    this.#nodes = nodes;
  }

  /** `at`: RFC 3339, when the node was last tried. */
  heartbeat(outcome: NodeOutcome, at: string, before: Heartbeat | undefined): Heartbeat {
    const { recheck = null, drift_seen: driftSeen = null } = before ?? {};
    const next = nextHeartbeat(before, { outcome, at, recheck, driftSeen });
    this.#heartbeats.set(outcome.node, next);
    return next;
  }

  report(node: string, report: NodeReport, units: ReadonlySet<string> | null): void {
    this.#reports.push({ node, report, units });
  }

  /** In the order in which they were made. */
  reports(): readonly LiveReport[] {
    return this.#reports;
  }

  writes(files: ObservedFiles, now: Date): ObservedWrites {
    const writes = new Map<string, string | null>(forgotten(files, this.#nodes).map((path) => [path, null]));
    const reports = new Map<string, NodeReport>();
    for (const { node, report, units } of this.#reports) {
      const before = reports.get(node) ?? nodeReportSchema.safeParse(parsed(files, liveReportPath(node))).data;
      reports.set(node, mergedReport(before, report, units));
    }
    for (const [node, report] of reports) writes.set(liveReportPath(node), nodeReportText(report));
    const heartbeats = heartbeatsIn(files);
    for (const [node, own] of this.#heartbeats) heartbeats.set(node, newerOf(heartbeats.get(node), own, now));
    for (const node of heartbeats.keys()) if (!this.#nodes.has(node)) heartbeats.delete(node);
    if (heartbeats.size > 0) writes.set(HEARTBEATS, heartbeatsText(heartbeats));
    return writes;
  }
}

/** Somebody else may have asked the node after us, or its verdict's recheck. */
function newerOf(there: Heartbeat | undefined, own: Heartbeat, now: Date): Heartbeat {
  if (there === undefined) return own;
  return isOvertaken(own, there, now) ? there : { ...own, recheck: there.recheck ?? own.recheck };
}

const NO_FILES: ObservedFiles = { commit: null, paths: [], read: () => undefined };

/** One that is damaged does not silence the others. */
function heartbeatsIn(live: ObservedFiles): Map<string, Heartbeat> {
  const paths = live.paths.filter((path) => path === HEARTBEATS);
  return new Map(readRecord(NO_FILES, { commit: live.commit, paths, read: (path) => live.read(path) }).heartbeats);
}

function parsed(files: ObservedFiles, path: string): unknown {
  try {
    return JSON.parse(files.read(path) ?? "null");
  } catch {
    return null;
  }
}
