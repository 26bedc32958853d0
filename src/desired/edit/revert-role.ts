import type { DesiredFiles, FileWrite } from "../../ports.ts";
import { changedPaths } from "../generation-fence.ts";
import { fileKind } from "../layout.ts";

/** A role's manifest and files as `then` has them, on top of what stands now (DESIGN §3.1). Other files are left alone. */
export function restoredRole(name: string, then: DesiredFiles, now: DesiredFiles): readonly FileWrite[] {
  const changed = changedPaths(then, now).filter((path) => isOf(path, name));
  return changed.map((path) => ({ path, text: then.read(path)?.bytes() ?? null }));
}

function isOf(path: string, name: string): boolean {
  const file = fileKind(path);
  return (file.kind === "role" && file.name === name) || (file.kind === "role-file" && file.role === name);
}
