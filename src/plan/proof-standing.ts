import type { Node } from "../desired/desired-state.ts";
import type { Marker } from "../model/marker.ts";
import type { Ignores } from "./ignored-drift.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { type RecordedItem, unitOfItem } from "./recorded-items.ts";

/** What a node's marker of a unit is worth now (DESIGN §3.3): computed each time, stored nowhere. */
export type ProofStanding =
  /** Never proved, or by a check that did not pass. */
  | { readonly kind: "none" }
  /** `lastRead`: the newest observation that compared it and found it so (RFC 3339). */
  | { readonly kind: "valid"; readonly marker: Marker; readonly lastRead: string }
  | { readonly kind: "other-digest"; readonly marker: Marker }
  /** `known`: the machine that stands there now, by its own word; null where it has no id. */
  | { readonly kind: "other-machine"; readonly marker: Marker; readonly known: string | null }
  /** The node was read since and was not so; `items` is not empty. */
  | { readonly kind: "lost"; readonly marker: Marker; readonly items: readonly RecordedItem[] };

/** What a node's markers are held against. */
export interface ProofContext {
  readonly record: ObservedRecord;
  /** What `drift.ignore` names takes no proof away. */
  readonly ignores: Ignores;
}

/** `digest`: what the node is to prove. The kinds exclude each other: a lost proof is one of this digest and machine. */
export function proofStanding(unit: string, digest: string, node: Node, context: ProofContext): ProofStanding {
  const { record } = context;
  const state = record.states.get(node.name);
  const marker = state?.markers.find((one) => one.unit === unit);
  if (state === undefined || marker === undefined || marker.verify_exit !== 0) return { kind: "none" };
  if (marker.digest !== digest) return { kind: "other-digest", marker };
  const report = record.reports.get(node.name);
  const known = report === undefined ? state.machine_id : report.machine_id;
  // A node that the roster pins is that machine, whatever answered at its address.
  const pinned = node.machineId ?? known;
  if (marker.machine_id !== known || marker.machine_id !== pinned) return { kind: "other-machine", marker, known };
  const items = comparedItems(unit, digest, node, context);
  if (items !== null && items.length > 0) return { kind: "lost", marker, items };
  const seen = items !== null ? (record.heartbeats.get(node.name)?.observed_at ?? null) : null;
  const lastRead = seen !== null && Date.parse(seen) > Date.parse(marker.at) ? seen : marker.at;
  return { kind: "valid", marker, lastRead };
}

/** What differed when the node was last read, of what it is to be now and what counts; null: it was not read since. */
export function comparedItems(
  unit: string,
  digest: string,
  node: Node,
  { record, ignores }: ProofContext,
): readonly RecordedItem[] | null {
  const report = record.reports.get(node.name);
  if (report?.digests[unit] !== digest) return null;
  return report.items.filter(
    (item) => isDrift(item) && unitOfItem(item) === unit && ignores(node.name, item) === undefined,
  );
}

/** The `warn` of a command that is not idempotent stays for ever and does not count (DESIGN §3.2). */
function isDrift({ severity }: RecordedItem): boolean {
  return severity !== "warn";
}
