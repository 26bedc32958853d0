import type { Diagnostic } from "../../kit/diagnostic.ts";
import type { Entry } from "../draft.ts";
import { at, type Rule } from "./rule.ts";

/** A list that names the same thing twice has lost something, usually in a merge. */
export const repeatedNames: Rule = ({ nodes, roles }) => [
  ...nodes.flatMap((entry) => [
    ...repeated(entry, ["roles"], entry.value.roles),
    ...repeated(entry, ["profiles"], entry.value.profiles),
    ...repeated(entry, ["aliases"], entry.value.aliases),
    ...repeated(
      entry,
      ["agents"],
      entry.value.agents.map(({ name }) => name),
      "name",
    ),
  ]),
  ...roles.flatMap((entry) => [
    ...repeated(entry, ["requires"], entry.value.requires),
    ...repeated(entry, ["mutually_exclusive"], entry.value.mutually_exclusive),
  ]),
];

function repeated(entry: Entry<unknown>, path: string[], names: readonly string[], key?: string): Diagnostic[] {
  if (new Set(names).size === names.length) return [];
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : at(entry, [...path, index, ...(key === undefined ? [] : [key])], {
          code: "repeated-name",
          message: `${name} is already in this list`,
          hint: "Remove one of the two.",
        }),
  );
}
