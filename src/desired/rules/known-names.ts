import type { Diagnostic } from "../../kit/diagnostic.ts";
import type { Entry } from "../draft.ts";
import { nearest } from "../schema/nearest.ts";
import { at, type Rule } from "./rule.ts";

/** Whatever a file names must exist: roles and profiles of nodes, roles of roles, nodes of ignored drift. */
export const knownNames: Rule = ({ fleet, nodes, roles, names }) => {
  const role = (name: string) => unknown("role", name, names.roles, `host-roles/${name}.yaml`);
  const profile = (name: string) => unknown("profile", name, names.profiles, `roster/profiles/${name}.yaml`);
  const node = (name: string) => unknown("node", name, names.nodes, `roster/nodes/${name}.yaml`);
  return [
    ...nodes.flatMap((entry) => each(entry, "roles", entry.value.roles, role)),
    ...nodes.flatMap((entry) => each(entry, "profiles", entry.value.profiles, profile)),
    ...roles.flatMap((entry) => each(entry, "requires", entry.value.requires, role)),
    ...roles.flatMap((entry) => each(entry, "mutually_exclusive", entry.value.mutually_exclusive, role)),
    ...(fleet?.value.drift.ignore ?? []).flatMap(({ host }, index) => {
      const problem = node(host);
      return fleet === null || problem === null ? [] : at(fleet, ["drift", "ignore", index, "host"], problem);
    }),
  ];
};

type Problem = ReturnType<typeof unknown>;

function each(
  entry: Entry<unknown>,
  key: string,
  list: readonly string[],
  check: (name: string) => Problem,
): Diagnostic[] {
  return list.flatMap((name, index) => {
    const problem = check(name);
    return problem === null ? [] : at(entry, [key, index], problem);
  });
}

function unknown(what: "node" | "profile" | "role", name: string, known: ReadonlySet<string>, file: string) {
  if (known.has(name)) return null;
  const meant = nearest(name, [...known]);
  const hint = meant === undefined ? `Add ${file}, or remove the name.` : `Did you mean ${meant}?`;
  return { code: `unknown-${what}`, message: `there is no ${what} ${name}`, hint };
}
