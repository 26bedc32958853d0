import type { NodeFacts, PathFact } from "../model/node-facts.ts";
import type { CompareContext, Finding } from "./contract.ts";
import { unsatisfiable } from "./unsatisfiable.ts";

/** What the types that own a path have in common (host-state §3): who owns it, its mode, and what stands in its way. */
export interface OwnedPath {
  readonly path: string;
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
}

type Found = NonNullable<PathFact["found"]>;

/** What is removed must be a file, or a link to something: never what holds or is something else. */
export function fileToRemove(found: PathFact["found"]): Finding | null {
  if (found === null) return null;
  if (found.type === "directory") return unsatisfiable("directory-in-the-way");
  if (found.type === "other") return unsatisfiable("special-in-the-way");
  return { verb: "remove", severity: "drift", reasons: [found.type === "link" ? "link" : "exists"], params: {} };
}

/** Nothing is there: can something be put there? */
export function missingFolder(path: string, facts: NodeFacts, context: CompareContext): Finding | null {
  const folder = facts.paths.get(folderOf(path));
  if (folder === undefined || context.earlierDrift) return null;
  if (folder.found === null) return unsatisfiable("parent-missing");
  // A link may lead to a folder; that is seen when something is put there.
  return folder.found.type === "file" || folder.found.type === "other" ? unsatisfiable("parent-missing") : null;
}

/** Never written through, and never replaced unasked: /etc/resolv.conf, a masked unit (cases.md 10, 31). */
export function notRegular(found: Found): Finding | null {
  if (found.type === "link") return unsatisfiable("link-in-the-way");
  if (found.type === "directory") return unsatisfiable("directory-in-the-way");
  return found.type === "other" ? unsatisfiable("special-in-the-way") : null;
}

/** `owner`, `group`, `mode`: those that differ. */
export function differingAttributes(record: OwnedPath, found: Found): readonly string[] {
  return [
    ...(sameAccount(record.owner, found.owner, found.uid) ? [] : ["owner"]),
    ...(sameAccount(record.group, found.group, found.gid) ? [] : ["group"]),
    ...(record.mode === found.mode ? [] : ["mode"]),
  ];
}

/** One item for owner, group and mode: chown carries the mode, which it may clear (DESIGN §3.2). */
export function attributeFinding(record: OwnedPath, found: Found): Finding | null {
  const reasons = differingAttributes(record, found);
  if (reasons.length === 0) return null;
  const { owner, group, mode } = record;
  if (reasons.some((reason) => reason !== "mode")) {
    return { verb: "chown", severity: "drift", reasons, params: { owner, group, mode } };
  }
  return { verb: "chmod", severity: "drift", reasons, params: { mode } };
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Declared by name, or by number where a number is what is meant. */
function sameAccount(declared: string, name: string, number: number | undefined): boolean {
  return declared === name || (number !== undefined && declared === String(number));
}
