import { stableJson } from "../kit/stable-json.ts";
import type { Marker } from "../model/marker.ts";
import {
  type NodeReport,
  type NodeState,
  nodeReportSchema,
  nodeStateSchema,
  type Reconciled,
} from "../model/node-record.ts";
import { FLEET_RECORD, nodeReportPath, nodeStatePath } from "../model/observed-layout.ts";
import { mergedReport } from "../plan/merge-report.ts";
import { nodeReportText, nodeStateText, reconciledText } from "../plan/record-files.ts";
import type { ObservedFiles } from "../ports.ts";

/** What a run found out and has to write, beside the events of rollouts. Replayed on whatever others wrote meanwhile. */
export type RecordedChange =
  | { readonly kind: "proved"; readonly node: string; readonly machineId: string | null; readonly marker: Marker }
  | { readonly kind: "released"; readonly node: string; readonly unit: string }
  | {
      readonly kind: "looked";
      readonly node: string;
      readonly report: NodeReport;
      /** Units that the look was about; null: all of them. */
      readonly units: ReadonlySet<string> | null;
    }
  | { readonly kind: "reconciled"; readonly reconciled: Reconciled };

/** The parts of a record that such changes are about. */
export interface ChangingRecord {
  readonly states: Map<string, NodeState>;
  readonly reports: Map<string, NodeReport>;
  reconciled: Reconciled | null;
}

/** Folds one change into what is known. */
export function applyChange(record: ChangingRecord, change: RecordedChange): void {
  switch (change.kind) {
    case "proved":
    case "released": {
      record.states.set(change.node, stateAfter(record.states.get(change.node), change));
      return;
    }
    case "looked": {
      const previous = record.reports.get(change.node);
      record.reports.set(change.node, mergedReport(previous, change.report, change.units));
      return;
    }
    case "reconciled":
      record.reconciled = change.reconciled;
  }
}

/** The files that these changes touch, as they stand in `files`; what cannot be read there counts as absent. */
export function affectedIn(files: ObservedFiles, changes: readonly RecordedChange[]): ChangingRecord {
  const record: ChangingRecord = { states: new Map(), reports: new Map(), reconciled: null };
  for (const change of changes) {
    if (change.kind === "reconciled") continue;
    const { node } = change;
    if (change.kind === "looked") {
      const report = nodeReportSchema.safeParse(jsonIn(files, nodeReportPath(node))).data;
      if (report !== undefined) record.reports.set(node, report);
    } else {
      const state = nodeStateSchema.safeParse(jsonIn(files, nodeStatePath(node))).data;
      if (state !== undefined) record.states.set(node, state);
    }
  }
  return record;
}

/** Path and text of every file that the changes make anew. */
export function filesOf({ states, reports, reconciled }: ChangingRecord): Map<string, string> {
  return new Map([
    ...[...states].map(([node, state]) => [nodeStatePath(node), nodeStateText(state)] as const),
    ...[...reports].map(([node, report]) => [nodeReportPath(node), nodeReportText(report)] as const),
    ...(reconciled === null ? [] : [[FLEET_RECORD, reconciledText(reconciled)] as const]),
  ]);
}

function stateAfter(
  before: NodeState | undefined,
  change: Extract<RecordedChange, { kind: "proved" | "released" }>,
): NodeState {
  const { node } = change;
  const markers = before?.markers ?? [];
  if (change.kind === "released") {
    const left = markers.filter(({ unit }) => unit !== change.unit);
    return { v: 1, node, machine_id: before?.machine_id ?? null, markers: left };
  }
  const { marker, machineId } = change;
  const known = markers.find(({ unit }) => unit === marker.unit);
  const proof = known !== undefined && saysTheSame(known, marker) ? known : marker;
  return {
    v: 1,
    node,
    machine_id: machineId,
    markers: [...markers.filter(({ unit }) => unit !== marker.unit), proof].sort((a, b) => (a.unit < b.unit ? -1 : 1)),
  };
}

/** Who proved it first, and when and how, stays as long as it is the same that is proved. */
function saysTheSame(known: Marker, marker: Marker): boolean {
  return stableJson(meaning(known)) === stableJson(meaning(marker));
}

function meaning({ unit, digest, unit_digest, version, machine_id, verify_exit, resources }: Marker): unknown {
  return { unit, digest, unit_digest, version, machine_id, verify_exit, resources };
}

function jsonIn(files: ObservedFiles, path: string): unknown {
  try {
    return JSON.parse(files.read(path) ?? "null");
  } catch {
    return null;
  }
}
