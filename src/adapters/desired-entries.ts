import path from "node:path/posix";
import type { RefusedFile } from "../ports.ts";

/** What stands at a path, in a working tree or in a commit. */
export type DesiredEntry =
  | { readonly kind: "file" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "other"; readonly what: string };

export interface ResolvedEntries {
  /** Path → the path whose bytes it has: itself, or what a link leads to. Sorted. */
  readonly files: ReadonlyMap<string, string>;
  readonly refused: readonly RefusedFile[];
}

const MAX_LINKS = 8;

/**
 * Follows links by name only, so that a working tree and the commit made from it give the same answer, and so that
 * nothing outside the desired folders is ever read: a link in a pull request must not bring a key of the runner in.
 */
export function resolveEntries(entries: ReadonlyMap<string, DesiredEntry>): ResolvedEntries {
  const files = new Map<string, string>();
  const refused: RefusedFile[] = [];
  for (const name of [...entries.keys()].sort()) {
    const found = follow(name, entries);
    if ("path" in found) files.set(name, found.path);
    else refused.push({ path: name, reason: found.reason });
  }
  return { files, refused };
}

function follow(name: string, entries: ReadonlyMap<string, DesiredEntry>): { path: string } | { reason: string } {
  if (name.includes("\ufffd")) return { reason: "the name is not UTF-8" };
  let at = name;
  for (let links = 0; links <= MAX_LINKS; links++) {
    const entry = entries.get(at);
    if (entry === undefined)
      return { reason: "is a link that leads out of the desired state, to nothing, or to a folder" };
    if (entry.kind === "file") return { path: at };
    if (entry.kind === "other") return { reason: `is ${entry.what}` };
    if (path.isAbsolute(entry.target)) return { reason: "is a link to an absolute path" };
    at = path.join(path.dirname(at), entry.target);
  }
  return { reason: `is a link behind more than ${MAX_LINKS} links` };
}
