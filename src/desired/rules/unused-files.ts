import { fileKind, roleFilesFolder } from "../layout.ts";
import { problemOf } from "../problem-at.ts";
import type { Rule } from "./rule.ts";

/** A file under `files/` that no resource names is shipped nowhere: a warning, since somebody thought it would be. */
export const unusedFiles: Rule = ({ files, roles, names }) => {
  const known = new Map(
    roles.filter(({ value }) => value.complete).map(({ stem, value }) => [stem, sources(stem, value)]),
  );
  return files.paths.flatMap((path) => {
    const file = fileKind(path);
    if (file.kind !== "role-file") return [];
    const used = known.get(file.role)?.has(path) ?? names.roles.has(file.role);
    if (used) return [];
    const message = names.roles.has(file.role)
      ? `no resource of the role ${file.role} names this file`
      : `there is no role ${file.role}, so nothing ships this file`;
    return problemOf(path, {
      code: "unused-file",
      severity: "warning",
      message,
      hint: "Name it with source:, or delete it.",
    });
  });
};

function sources(role: string, { resources }: { resources: readonly { declared: { record: object } }[] }): Set<string> {
  return new Set(
    resources.map(({ declared }) => `${roleFilesFolder(role)}${(declared.record as { source?: string }).source ?? ""}`),
  );
}
