import type { DesiredFiles, FileWrite } from "../../ports.ts";
import { readRoleEntry } from "../draft.ts";
import { fileKind, roleManifest } from "../layout.ts";
import { roleContentDigest } from "../role-digest.ts";
import { overlay } from "./overlay.ts";
import { setScalar } from "./yaml-text.ts";

/**
 * The writes, with the `version` of every role that they change above the one that stands now and the one they bring: a
 * role's number only rises, also when its content goes back (DESIGN §3.2, `role-version`).
 */
export function raiseVersions(files: DesiredFiles, writes: readonly FileWrite[]): readonly FileWrite[] {
  const after = overlay(files, writes);
  return rolesIn(writes).reduce<readonly FileWrite[]>((sofar, name) => {
    const [old, now] = [readRoleEntry(files, name).value, readRoleEntry(after, name).value];
    if (old === null || now === null) return sofar;
    const isSame = roleContentDigest(old.value) === roleContentDigest(now.value);
    if (isSame && now.value.version >= old.value.version) return sofar;
    const version = Math.max(old.value.version, now.value.version) + (isSame ? 0 : 1);
    const text = setScalar(now.source.text, "version", String(version), []);
    const path = roleManifest(name);
    // What cannot be raised is left for the role-version rule to say.
    return text === null ? sofar : [...sofar.filter((write) => write.path !== path), { path, text }];
  }, writes);
}

function rolesIn(writes: readonly FileWrite[]): readonly string[] {
  const names = writes.flatMap(({ path }) => {
    const file = fileKind(path);
    if (file.kind === "role") return [file.name];
    return file.kind === "role-file" ? [file.role] : [];
  });
  return [...new Set(names)];
}
