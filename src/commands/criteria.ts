import type { DesiredState, Node } from "../desired/desired-state.ts";
import { rolesOf } from "../desired/roles-of.ts";
import { nearest } from "../desired/schema/nearest.ts";
import { isNamePattern, namePattern } from "../kit/name-pattern.ts";
import type { Refusal } from "./result.ts";

/** Which nodes and roles a person asked for; all lists empty: the whole fleet. */
export interface Selection {
  /** Node names or aliases. */
  readonly nodes: readonly string[];
  /** `web-*`, of names and aliases. */
  readonly patterns: readonly string[];
  readonly classes: readonly string[];
  /** `key=value`. */
  readonly labels: readonly string[];
  /** Names of roles: only these are looked at, on the nodes that have them. */
  readonly roles: readonly string[];
  /** `role:<name>`; null for all units. */
  readonly unit: string | null;
}

export const WHOLE_FLEET: Selection = { nodes: [], patterns: [], classes: [], labels: [], roles: [], unit: null };

/** One thing that was asked for, and the nodes that it fits. */
export interface Criterion {
  /** As it was written: `--class db`. */
  readonly asked: string;
  /** Criteria of one kind are alternatives. */
  readonly kind: string;
  /** Names, at least one. */
  readonly nodes: ReadonlySet<string>;
  readonly role?: string;
}

/** All that was asked for, or the first thing that fits no node. */
export function criteriaOf(state: DesiredState, selection: Selection): readonly Criterion[] | Refusal {
  const found = [
    ...selection.nodes.map((name) => byName(state, name)),
    ...selection.patterns.map((pattern) => byPattern(state, pattern)),
    ...selection.classes.map((name) => byClass(state, name)),
    ...selection.labels.map((label) => byLabel(state, label)),
    ...(selection.unit === null ? [] : [byUnit(state, selection.unit)]),
    ...selection.roles.map((name) => byRole(state, name, `--role ${name}`)),
  ];
  return found.find(isRefusal) ?? found.filter(isCriterion);
}

function isRefusal(one: Criterion | Refusal): one is Refusal {
  return "code" in one;
}

function isCriterion(one: Criterion | Refusal): one is Criterion {
  return !isRefusal(one);
}

function byName(state: DesiredState, asked: string): Criterion | Refusal {
  const nodes = namesWhere(state, (node) => node.name === asked || node.aliases.includes(asked));
  if (nodes.size > 0) return { asked, kind: "name", nodes };
  const names = state.nodes.flatMap((node) => [node.name, ...node.aliases]);
  const hint = isNamePattern(asked)
    ? `for a pattern write --node '${asked}'`
    : meant(asked, names, "roster/nodes/ has", "no node yet");
  return { code: "unknown-node", message: `there is no node ${asked}`, hint };
}

function byPattern(state: DesiredState, pattern: string): Criterion | Refusal {
  const fits = namePattern(pattern);
  const nodes = namesWhere(state, (node) => [node.name, ...node.aliases].some(fits));
  if (nodes.size > 0) return { asked: `--node ${pattern}`, kind: "name", nodes };
  const names = state.nodes.map((node) => node.name);
  const message = `--node ${pattern} fits no node`;
  return { code: "unknown-node", message, hint: meant(pattern, names, "* and ? are the wildcards; there are", "none") };
}

function byClass(state: DesiredState, name: string): Criterion | Refusal {
  const nodes = namesWhere(state, (node) => node.class === name);
  if (nodes.size > 0) return { asked: `--class ${name}`, kind: "class", nodes };
  const classes = [...new Set(state.nodes.map((node) => node.class))];
  const hint = meant(name, classes, "classes here", "none yet");
  return { code: "unknown-class", message: `no node has the class ${name}`, hint };
}

function byLabel(state: DesiredState, label: string): Criterion | Refusal {
  const at = label.indexOf("=");
  if (at < 1) {
    const hint = "write --label key=value, such as --label region=eu";
    return { code: "unknown-label", message: `${label} is not a label`, hint };
  }
  const [key, value] = [label.slice(0, at), label.slice(at + 1)];
  const nodes = namesWhere(state, (node) => Object.hasOwn(node.labels, key) && node.labels[key] === value);
  if (nodes.size > 0) return { asked: `--label ${label}`, kind: `label ${key}`, nodes };
  const labels = new Set(state.nodes.flatMap((node) => Object.entries(node.labels).map((pair) => pair.join("="))));
  const hint = meant(label, [...labels], "labels here", "none yet");
  return { code: "unknown-label", message: `no node has the label ${label}`, hint };
}

function byUnit(state: DesiredState, unit: string): Criterion | Refusal {
  const name = unit.startsWith("role:") ? unit.slice("role:".length) : "";
  if (state.roles.has(name)) return byRole(state, name, `--unit ${unit}`);
  const units = [...state.roles.keys()].map((role) => `role:${role}`);
  return {
    code: "unknown-unit",
    message: `there is no unit ${unit}`,
    hint: meant(unit, units, "units here", "none yet"),
  };
}

function byRole(state: DesiredState, name: string, asked: string): Criterion | Refusal {
  if (!state.roles.has(name)) {
    const hint = meant(name, [...state.roles.keys()], "host-roles/ has", "none yet");
    return { code: "unknown-role", message: `there is no role ${name}`, hint };
  }
  const nodes = namesWhere(state, (node) => rolesOf(node, state).some((role) => role.name === name));
  if (nodes.size > 0) return { asked, kind: "role", nodes, role: name };
  const hint = `give it to one: rollcall node set NAME roles+=${name} --generation ${state.fleet.generation}`;
  return { code: "unused-role", message: `no node has the role ${name}`, hint };
}

function namesWhere(state: DesiredState, fits: (node: Node) => boolean): ReadonlySet<string> {
  return new Set(state.nodes.filter(fits).map((node) => node.name));
}

/** More names than this are no help, and a fleet may have thousands. */
const MOST_NAMES = 12;

function meant(written: string, known: readonly string[], here: string, none: string): string {
  const near = nearest(written, known);
  if (near !== undefined) return `did you mean ${near}?`;
  const more = known.length > MOST_NAMES ? ` and ${known.length - MOST_NAMES} more` : "";
  return `${here}: ${known.slice(0, MOST_NAMES).join(", ") || none}${more}`;
}
