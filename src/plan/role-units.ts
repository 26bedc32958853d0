import type { DesiredState, Node, Role } from "../desired/desired-state.ts";
import { BASE_ROLE, roleNamesOf } from "../desired/roles-of.ts";
import { sha256Hex } from "../kit/digest.ts";
import { parseUnit } from "../model/unit.ts";
import { roleNodeDigest } from "./node-digest.ts";
import type { ObservedRecord } from "./observed-record.ts";
import type { Unit, UnitTarget } from "./unit.ts";

/**
 * Roles as units of change (DESIGN §1), in the order in which a run takes them: `host` first, each after those that it
 * requires, otherwise by name; last those whose manifest is gone and which some node still has.
 */
export function roleUnits(state: DesiredState, record: ObservedRecord): Unit[] {
  const having = nodesByRole(state);
  const leaving = leavingByUnit(state, record);
  const present = inOrder(state.roles).map((role): Unit => {
    const staying = (having.get(role.name) ?? []).map((node) => targetOf(node, "converge", roleNodeDigest(role, node)));
    return unitOf(role, [...staying, ...(leaving.get(`role:${role.name}`) ?? [])].sort(byNode));
  });
  const gone = [...leaving].filter(([id]) => !state.roles.has(id.slice("role:".length)));
  return [...present, ...gone.sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, targets]) => goneUnit(id, targets))];
}

function unitOf(role: Role, targets: readonly UnitTarget[]): Unit {
  return {
    id: `role:${role.name}`,
    kind: "role",
    title: role.description.trim().replace(/\s+/g, " "),
    version: role.version,
    digest: role.digest,
    enforced: role.mode === "enforce",
    risk: role.risk,
    strategy: role.risk === "safe" ? "safe" : "waves",
    policy: { canary: role.rollout.canary ?? null, concurrent: role.rollout.concurrent ?? false },
    provable: true,
    targets,
    requires: role.requires.map((name) => `role:${name}`),
  };
}

/** Nobody can say any more that letting go of it is harmless, so it goes in waves. */
function goneUnit(id: string, targets: readonly UnitTarget[]): Unit {
  return {
    id,
    kind: "role",
    title: "its manifest is gone",
    version: null,
    digest: sha256Hex(`${id} released`),
    enforced: true,
    risk: "risky",
    strategy: "waves",
    policy: { canary: null, concurrent: false },
    provable: true,
    targets: [...targets].sort(byNode),
    requires: [],
  };
}

function nodesByRole(state: DesiredState): ReadonlyMap<string, readonly Node[]> {
  const having = new Map<string, Node[]>();
  for (const node of state.nodes) {
    if (node.state === "retired") continue;
    for (const role of roleNamesOf(node, state.roles)) append(having, role, node);
  }
  return having;
}

/** Nodes that proved a role and do not have it any more; what left the roster or is retired is asked nothing. */
function leavingByUnit(state: DesiredState, record: ObservedRecord): Map<string, UnitTarget[]> {
  const leaving = new Map<string, UnitTarget[]>();
  for (const node of state.nodes) {
    const markers = node.state === "retired" ? [] : (record.states.get(node.name)?.markers ?? []);
    if (markers.length === 0) continue;
    const own = new Set(roleNamesOf(node, state.roles));
    for (const { unit, digest } of markers) {
      const parsed = parseUnit(unit);
      if (parsed?.kind === "role" && !own.has(parsed.name)) append(leaving, unit, targetOf(node, "release", digest));
    }
  }
  return leaving;
}

function targetOf(node: Node, action: UnitTarget["action"], digest: string): UnitTarget {
  return { node: node.name, action, digest, class: node.class, os: node.os };
}

function inOrder(roles: ReadonlyMap<string, Role>): Role[] {
  const ordered = new Map<string, Role>();
  const begun = new Set<string>();
  const visit = (name: string): void => {
    const role = roles.get(name);
    if (role === undefined || begun.has(name)) return;
    begun.add(name);
    for (const required of [...role.requires].sort()) visit(required);
    ordered.set(name, role);
  };
  visit(BASE_ROLE);
  for (const name of [...roles.keys()].sort()) visit(name);
  return [...ordered.values()];
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function byNode(a: UnitTarget, b: UnitTarget): number {
  return a.node < b.node ? -1 : 1;
}
