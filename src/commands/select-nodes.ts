import type { DesiredState } from "../desired/desired-state.ts";
import { type NodeWork, nodeWork } from "../engine/node-work.ts";
import type { SecretValues } from "../resources/contract.ts";
import type { Refusal } from "./result.ts";

export interface Selection {
  /** Node names or aliases; empty for all. */
  readonly nodes: readonly string[];
  /** `role:<name>`; null for all units. */
  readonly unit: string | null;
}

/** The nodes a person asked for, in roster order, each once; the first name that the roster does not know is refused. */
export function selectNodes(
  state: DesiredState,
  selection: Selection,
  secrets: SecretValues,
): readonly NodeWork[] | Refusal {
  const roles = selection.unit === null ? null : roleOf(state, selection.unit);
  if (roles !== null && "code" in roles) return roles;
  const chosen = new Set<string>();
  for (const asked of selection.nodes) {
    const node = state.nodes.find((other) => other.name === asked || other.aliases.includes(asked));
    if (node === undefined) {
      const hint = `roster/nodes/ has: ${state.nodes.map((other) => other.name).join(", ") || "no node yet"}`;
      return { code: "unknown-node", message: `there is no node ${asked}`, hint };
    }
    chosen.add(node.name);
  }
  return state.nodes
    .filter((node) => selection.nodes.length === 0 || chosen.has(node.name))
    .map((node) => nodeWork(state, node, roles, secrets));
}

function roleOf(state: DesiredState, unit: string): ReadonlySet<string> | Refusal {
  const name = unit.startsWith("role:") ? unit.slice("role:".length) : "";
  if (state.roles.has(name)) return new Set([name]);
  const known = [...state.roles.keys()].map((role) => `role:${role}`).join(", ");
  return { code: "unknown-unit", message: `there is no unit ${unit}`, hint: `units here: ${known || "none yet"}` };
}
