import { at, type Rule } from "./rule.ts";

/** A person may say an alias for a node, so it must mean one node only: retired nodes keep their names for good. */
export const aliases: Rule = ({ nodes, names }) => {
  const owners = new Map<string, string>();
  return nodes.flatMap((entry) =>
    entry.value.aliases.flatMap((alias, index) => {
      const owner = names.nodes.has(alias) ? alias : owners.get(alias);
      owners.set(alias, entry.stem);
      // Twice on one node is a repeated name, and has its own rule.
      if (owner === undefined || (owner === entry.stem && owner !== alias)) return [];
      const whose = owner === alias ? "is the name of a node" : `is already an alias of ${owner}`;
      return at(entry, ["aliases", index], {
        code: "alias-clash",
        message: `the alias ${alias} ${whose}`,
        hint: "Choose another alias.",
      });
    }),
  );
};
