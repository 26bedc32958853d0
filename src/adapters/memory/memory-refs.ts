import type { LockRecord } from "../../model/lock-record.ts";
import type { ObservedFiles, ObservedWrites } from "../../ports.ts";

/** One branch: its files, and a commit for each time that they changed. */
export interface MemoryBranch {
  readonly files: ReadonlyMap<string, string>;
  readonly commits: readonly { readonly id: string; readonly subject: string; readonly paths: readonly string[] }[];
}

/** The observed refs as values (DESIGN §4): they outlive the stores that reach them, as a remote outlives its clients. */
export class MemoryRefs {
  observed: MemoryBranch = { files: new Map(), commits: [] };
  live: MemoryBranch = { files: new Map(), commits: [] };
  lock: LockRecord | null = null;
  /** Run ids whose process is known to have died on this machine: their lock is free. */
  readonly dead = new Set<string>();
}

/** A branch after one more commit, or the same one when nothing differs. */
export function committed(branch: MemoryBranch, writes: ObservedWrites, subject: string): MemoryBranch {
  const changes = [...writes].filter(([path, text]) => (branch.files.get(path) ?? null) !== text);
  if (changes.length === 0) return branch;
  const files = new Map(branch.files);
  for (const [path, text] of changes) text === null ? files.delete(path) : files.set(path, text);
  const id = (branch.commits.length + 1).toString(16).padStart(40, "0");
  return { files, commits: [...branch.commits, { id, subject, paths: changes.map(([path]) => path) }] };
}

export function snapshot({ files, commits }: MemoryBranch): ObservedFiles {
  return { commit: commits.at(-1)?.id ?? null, paths: [...files.keys()].sort(), read: (path) => files.get(path) };
}
