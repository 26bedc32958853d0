import type { Diagnostic } from "../kit/diagnostic.ts";
import type { DesiredFiles } from "../ports.ts";
import { type Draft, readRoleEntry } from "./draft.ts";
import { changedPaths } from "./generation-fence.ts";
import { fileKind } from "./layout.ts";
import { problemAt } from "./problem-at.ts";
import { roleContentDigest } from "./role-digest.ts";

/**
 * A role whose manifest or files differ from the base's needs a greater `version` (DESIGN §3.2): the reconciler knows a
 * role by name and version. Comments, key order and spelling do not count; roles that either side cannot read are left
 * out. Only roles with changed bytes are read from the base.
 */
export function roleVersions(base: DesiredFiles, head: Draft): readonly Diagnostic[] {
  const touched = new Set(changedPaths(base, head.files).flatMap(roleOf));
  return head.roles.flatMap(({ stem, value, source }) => {
    const old = touched.has(stem) ? readRoleEntry(base, stem).value?.value : undefined;
    if (old === undefined || !old.complete || !value.complete || value.version > old.version) return [];
    if (value.version === old.version && roleContentDigest(value) === roleContentDigest(old)) return [];
    return problemAt(source, ["version"], "value", {
      code: "role-version",
      message: `the role ${stem} changed against ${base.origin}, where it has version ${old.version}`,
      hint: `Write version: ${old.version + 1}.`,
    });
  });
}

function roleOf(path: string): string[] {
  const file = fileKind(path);
  if (file.kind === "role") return [file.name];
  return file.kind === "role-file" ? [file.role] : [];
}
