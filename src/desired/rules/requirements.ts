import type { Diagnostic } from "../../kit/diagnostic.ts";
import type { Draft, Entry } from "../draft.ts";
import type { RoleFile } from "../read-role.ts";
import { roleNamesOf } from "../roles-of.ts";
import type { NodeFile } from "../schema/node.ts";
import { at, type Rule } from "./rule.ts";

/** `requires` never leads in a circle: it also says what is applied first (DESIGN §3.2). */
export const requiresCycles: Rule = ({ roles }) => {
  const byName = new Map(roles.map((entry) => [entry.stem, entry]));
  return roles.flatMap((entry) => {
    const circle = circleFrom(entry.stem, byName);
    if (circle === null) return [];
    return at(entry, ["requires", entry.value.requires.indexOf(circle[1] ?? "")], {
      code: "requires-cycle",
      message: `requires leads in a circle: ${circle.join(" → ")}`,
      hint: "Take one of them out of requires.",
    });
  });
};

/** The shortest way from a role back to itself along `requires`; null when there is none. */
function circleFrom(start: string, byName: ReadonlyMap<string, Entry<RoleFile>>): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const name of queue) {
    for (const next of byName.get(name)?.value.requires ?? []) {
      if (next === start) return wayTo(name, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, name);
      queue.push(next);
    }
  }
  return null;
}

function wayTo(last: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [start];
  for (let name: string | undefined = last; name !== undefined && name !== start; name = cameFrom.get(name))
    way.unshift(name);
  return [start, ...way];
}

/** What a role requires is on the same node, and what it excludes is not (host-state §2). */
export const requirements: Rule = (draft) => {
  const byName = new Map(draft.roles.map((entry) => [entry.stem, entry.value]));
  return draft.nodes.flatMap((entry) => {
    const names = roleNamesOf(entry.value, draft.names.roles);
    const there = new Set(names);
    return [...there].flatMap((name) => {
      const role = byName.get(name);
      if (role === undefined) return [];
      return [...missing(draft, entry, name, role, there), ...excluded(entry, name, role, there, byName)];
    });
  });
};

function missing(
  draft: Draft,
  entry: Entry<NodeFile>,
  name: string,
  role: RoleFile,
  there: ReadonlySet<string>,
): Diagnostic[] {
  return role.requires
    .filter((required) => !there.has(required) && draft.names.roles.has(required))
    .map((required) =>
      atRole(entry, name, {
        code: "requires-missing",
        message: `the role ${name} requires ${required}, which this node does not have`,
        hint: `Add ${required} to roles:, or remove ${name}.`,
      }),
    );
}

function excluded(
  entry: Entry<NodeFile>,
  name: string,
  role: RoleFile,
  there: ReadonlySet<string>,
  byName: ReadonlyMap<string, RoleFile>,
): Diagnostic[] {
  // When both exclude each other, the first of them by name says it.
  const said = (other: string) => other < name && (byName.get(other)?.mutually_exclusive.includes(name) ?? false);
  return role.mutually_exclusive
    .filter((other) => there.has(other) && other !== name && !said(other))
    .map((other) =>
      atRole(entry, name, {
        code: "mutually-exclusive",
        message: `the roles ${name} and ${other} exclude each other and are both on this node`,
        hint: "Remove one of them from roles:.",
      }),
    );
}

/** At the role's place in the list; the base role has none when it is not listed. */
function atRole(entry: Entry<NodeFile>, role: string, problem: Parameters<typeof at>[2]): Diagnostic {
  const index = entry.value.roles.indexOf(role);
  return at(entry, index === -1 ? ["roles"] : ["roles", index], problem);
}
