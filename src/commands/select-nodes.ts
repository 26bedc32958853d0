import type { DesiredState, Node } from "../desired/desired-state.ts";
import { rolesOf } from "../desired/roles-of.ts";
import { type NodeWork, nodeWork } from "../engine/node-work.ts";
import { groupBy } from "../kit/group-by.ts";
import type { LeftOut } from "../model/left-out.ts";
import type { SecretValues } from "../resources/contract.ts";
import { type Criterion, criteriaOf, type Selection } from "./criteria.ts";
import type { Refusal } from "./result.ts";

export interface Selected {
  readonly works: readonly NodeWork[];
  readonly leftOut: LeftOut;
}

/**
 * The nodes a person asked for, in roster order, each once. What narrows in the same way is alternatives (two names, two
 * classes, two values of one label), what narrows in different ways must all hold; whatever fits no node is refused.
 */
export function selectNodes(state: DesiredState, selection: Selection, secrets: SecretValues): Selected | Refusal {
  const criteria = criteriaOf(state, selection);
  if ("code" in criteria) return criteria;
  const chosen = state.nodes.filter((node) => isChosen(node, criteria));
  if (chosen.length === 0 && criteria.length > 0) return nothingSelected(criteria);
  const roles = criteria.flatMap(({ role }) => role ?? []);
  const only = roles.length === 0 ? null : new Set(roles);
  const works = chosen.map((node) => nodeWork(state, node, only, secrets));
  return { works, leftOut: { nodes: namesWithout(state.nodes, chosen), roles: rolesWithout(state, chosen, only) } };
}

function isChosen(node: Node, criteria: readonly Criterion[]): boolean {
  const kinds = groupBy(criteria, ({ kind }) => kind);
  return [...kinds.values()].every((alternatives) => alternatives.some(({ nodes }) => nodes.has(node.name)));
}

/** Each fits some node, and no node all of them. */
function nothingSelected(criteria: readonly Criterion[]): Refusal {
  const fits = criteria.map(({ asked, nodes }) => `${asked}: ${[...nodes].slice(0, 5).join(", ")}`);
  return { code: "nothing-selected", message: "no node fits all that was asked for", hint: fits.join("; ") };
}

function namesWithout(all: readonly Node[], chosen: readonly Node[]): readonly string[] {
  const names = new Set(chosen.map(({ name }) => name));
  return all.map(({ name }) => name).filter((name) => !names.has(name));
}

function rolesWithout(
  state: DesiredState,
  chosen: readonly Node[],
  only: ReadonlySet<string> | null,
): readonly string[] {
  if (only === null) return [];
  const names = new Set(chosen.flatMap((node) => rolesOf(node, state).map(({ name }) => name)));
  return [...state.roles.keys()].filter((name) => names.has(name) && !only.has(name));
}
