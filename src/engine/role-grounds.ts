import type { DesiredState, Node, Role } from "../desired/desired-state.ts";
import { rolesOf } from "../desired/roles-of.ts";
import type { Marker } from "../model/marker.ts";
import { roleNodeDigest } from "../plan/node-digest.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import { type RecordedItem, unitOfItem } from "../plan/recorded-items.ts";

/** A desired state that nodes may have been made as, looked up by node. */
export interface Source {
  readonly state: DesiredState;
  readonly nodes: ReadonlyMap<string, Node>;
}

/** What is known of one role on one node, and from where. */
export interface RoleGround {
  readonly role: string;
  /** Index among the sources: the node is as that state declares the role. */
  readonly source: number;
  /** Its digests there, of the unit and of the node. */
  readonly digests: readonly string[];
  /** How the node was seen to differ from that; empty: it was not read since, or it did not. */
  readonly drift: readonly RecordedItem[];
  /** The last reading was of this very digest. */
  readonly read: boolean;
}

/**
 * The roles that a node is known to have as some source declares them: by its marker, or because an audit compared it with
 * just that. Earlier sources count first. A marker of another machine proves nothing.
 */
export function roleGrounds(node: string, sources: readonly Source[], record: ObservedRecord): readonly RoleGround[] {
  const report = record.reports.get(node);
  const markers = validMarkers(node, record);
  if (report === undefined && markers.size === 0) return [];
  const grounds = new Map<string, RoleGround>();
  for (const [source, { state, nodes }] of sources.entries()) {
    const declared = nodes.get(node);
    for (const role of declared === undefined ? [] : rolesOf(declared, state)) {
      if (declared === undefined || grounds.has(role.name)) continue;
      const unit = `role:${role.name}`;
      const digest = roleNodeDigest(role, declared);
      const read = report?.digests[unit] === digest;
      if (!read && markers.get(unit)?.digest !== digest) continue;
      const drift = read ? (report?.items ?? []).filter((item) => isDrift(item) && unitOfItem(item) === unit) : [];
      grounds.set(role.name, { role: role.name, source, digests: [role.digest, digest], drift, read });
    }
  }
  return [...grounds.values()].sort((a, b) => (a.role < b.role ? -1 : 1));
}

/** By unit. */
export function validMarkers(node: string, { states, reports }: ObservedRecord): ReadonlyMap<string, Marker> {
  const state = states.get(node);
  const machine = reports.get(node)?.machine_id ?? state?.machine_id ?? null;
  const proved = (state?.markers ?? []).filter((one) => one.verify_exit === 0 && one.machine_id === machine);
  return new Map(proved.map((marker) => [marker.unit, marker]));
}

/** A command that is not idempotent differs for ever; what was released is found again by itself. */
function isDrift({ severity }: RecordedItem): boolean {
  return severity !== "warn";
}

export function sourceOf(state: DesiredState): Source {
  return { state, nodes: new Map(state.nodes.map((node) => [node.name, node])) };
}

/** What a role was before somebody asked it to do anything: as if it were enforced. */
export function enforced(roles: ReadonlyMap<string, Role>): ReadonlyMap<string, Role> {
  return new Map([...roles].map(([name, role]) => [name, { ...role, mode: "enforce" }]));
}
