import { type NodeReport, nodeReportSchema } from "../model/node-record.ts";
import { nodeReportPath } from "../model/observed-layout.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import type { ObservedFiles } from "../ports.ts";

export interface OvertakenReport {
  readonly node: string;
  readonly report: NodeReport;
  /** Of which it is newer than the live one. */
  readonly units: ReadonlySet<string>;
}

/**
 * A run that was killed after it had recorded proofs and before it published leaves live reports that are older than the record:
 * they compare what was asked before. What the record has is put in their place.
 */
export function overtakenReports(record: ObservedRecord, observed: ObservedFiles): readonly OvertakenReport[] {
  return [...record.states].flatMap(([node, { markers }]) => {
    const live = record.reports.get(node);
    const old = live === undefined ? [] : markers.filter(({ unit, digest }) => live.digests[unit] !== digest);
    if (old.length === 0) return [];
    const report = reportIn(observed, node);
    const newer = old.filter(({ unit, digest }) => report?.digests[unit] === digest).map(({ unit }) => unit);
    return report === undefined || newer.length === 0 ? [] : [{ node, report, units: new Set(newer) }];
  });
}

function reportIn(observed: ObservedFiles, node: string): NodeReport | undefined {
  try {
    return nodeReportSchema.safeParse(JSON.parse(observed.read(nodeReportPath(node)) ?? "null")).data;
  } catch {
    return undefined;
  }
}
