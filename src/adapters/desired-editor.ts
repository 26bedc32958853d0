import { chmod, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DESIRED_FOLDERS } from "../model/desired-folders.ts";
import type { DesiredEditor, FileWrite } from "../ports.ts";
import { workingTreeFiles } from "./desired-files.ts";
import { takeEditLock } from "./edit-lock.ts";
import { isStaged, stagedName } from "./staged-file.ts";

/** Milliseconds; an edit of 10,000 nodes validates for a few seconds. */
const PATIENCE = 30_000;

export interface EditorOptions {
  /** How long to wait for another editor, milliseconds. */
  readonly patience?: number;
  /** Called before each rename or removal; tests end the process there. */
  readonly beforeEffect?: (path: string) => void;
}

/** The editor of a working tree: one at a time, all files or none (DESIGN §3.1). */
export function desiredEditor(folder: string, options: EditorOptions = {}): DesiredEditor {
  const root = resolve(folder);
  return {
    async exclusively(edit) {
      const lock = await takeEditLock(root, options.patience ?? PATIENCE);
      if ("kind" in lock) return lock;
      try {
        await removeLeftovers(root);
        const { writes, result } = edit(await workingTreeFiles(root));
        await writeAll(root, writes, options.beforeEffect ?? (() => {}));
        return { kind: "done", result };
      } finally {
        await lock.release();
      }
    },
  };
}

interface Staged {
  readonly target: string;
  /** null: the target is to go. */
  readonly fresh: string | null;
  /** A copy of what is there now, for the way back; null when nothing is there. */
  readonly old: string | null;
}

/**
 * Everything is on the disk beside its target before the first rename. A failure after that takes the way back; a kill
 * leaves the first files changed and the rest not, which is why the generation comes first.
 */
async function writeAll(
  root: string,
  writes: readonly FileWrite[],
  beforeEffect: (path: string) => void,
): Promise<void> {
  const staged: Staged[] = [];
  const done: Staged[] = [];
  try {
    for (const write of writes) staged.push(await stage(root, write));
    for (const file of staged) {
      beforeEffect(file.target);
      done.push(file);
      if (file.fresh === null) await rm(file.target, { force: true });
      else await rename(file.fresh, file.target);
      await syncFolder(dirname(file.target));
    }
  } catch (error) {
    for (const { target, old } of done.reverse())
      await (old === null ? rm(target, { force: true }) : rename(old, target));
    throw error;
  } finally {
    for (const { fresh, old } of staged) {
      for (const path of [fresh, old]) if (path !== null) await rm(path, { force: true });
    }
  }
}

async function stage(root: string, { path, text }: FileWrite): Promise<Staged> {
  const named = join(root, path);
  await mkdir(dirname(named), { recursive: true });
  const existing = await existingFile(named);
  const target = existing?.target ?? named;
  const old = existing === null ? null : stagedName(target);
  if (old !== null) await writeSynced(old, existing?.bytes ?? new Uint8Array(), existing?.mode ?? 0o644);
  if (text === null) return { target: named, fresh: null, old: existing?.target === named ? old : null };
  const fresh = stagedName(target);
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  await writeSynced(fresh, bytes, existing?.mode ?? 0o644);
  return { target, fresh, old };
}

/** What is at a path, its links followed: a rename onto a link would replace the link. */
async function existingFile(path: string): Promise<{ target: string; mode: number; bytes: Uint8Array } | null> {
  try {
    const target = await realpath(path);
    const file = await open(target, "r");
    try {
      return { target, mode: (await stat(target)).mode & 0o777, bytes: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function writeSynced(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  // The umask has a say in open, not here.
  await chmod(path, mode);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What an editor that was killed left beside its targets. Only under the lock: nobody else stages then. */
async function removeLeftovers(root: string): Promise<void> {
  for (const folder of DESIRED_FOLDERS) {
    const names = await readdir(join(root, folder), { recursive: true }).catch(() => []);
    for (const name of names) {
      if (isStaged(name.slice(name.lastIndexOf("/") + 1))) await rm(join(root, folder, name), { force: true });
    }
  }
}
