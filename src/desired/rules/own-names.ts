import { nodeFile } from "../layout.ts";
import { at, type Rule } from "./rule.ts";

/** A file's stem is the name: others refer to it by that, so what the file says must be the same (host-state §1). */
export const ownNames: Rule = ({ nodes, roles }) => [
  ...nodes
    .filter(({ stem, value }) => value.name !== stem)
    .map((entry) =>
      at(entry, ["name"], {
        code: "node-name",
        message: `the node is called ${entry.value.name}, but its file says ${entry.stem}`,
        hint: `Write name: ${entry.stem}, or rename the file to ${nodeFile(entry.value.name)}.`,
      }),
    ),
  ...roles
    .filter(({ stem, value }) => value.role !== stem)
    .map((entry) =>
      at(entry, ["role"], {
        code: "role-name",
        message: `the role is called ${entry.value.role}, but its file says ${entry.stem}`,
        hint: `Write role: ${entry.stem}, or rename the file to host-roles/${entry.value.role}.yaml.`,
      }),
    ),
];
