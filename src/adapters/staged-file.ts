import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** A name beside a file, for what is renamed onto it: the same folder, so that the rename is one step. */
export function stagedName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.rollcall-staged`);
}

/** A leftover of an editor that was killed; no part of desired state. */
export function isStaged(name: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.rollcall-staged$/.test(name);
}
