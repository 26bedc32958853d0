import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readFileSync, statSync } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { DESIRED_FOLDERS } from "../model/desired-folders.ts";
import type { FileContent } from "../model/file-content.ts";
import type { DesiredFiles } from "../ports.ts";
import { type DesiredEntry, resolveEntries } from "./desired-entries.ts";
import { isStaged } from "./staged-file.ts";

/** Bytes; larger files are read again when they are needed again. */
const KEEP_LIMIT = 1024 * 1024;

/**
 * The desired files of a working tree, untracked ones included. Folders are listed now; a file is read when it is first
 * asked for, once, and hashed only when somebody compares it.
 */
export async function workingTreeFiles(root: string): Promise<DesiredFiles> {
  const entries = new Map<string, DesiredEntry>();
  for (const folder of DESIRED_FOLDERS) await list(root, folder, entries);
  const { files, refused } = resolveEntries(entries);
  const contents = new Map<string, FileContent>();
  return {
    origin: root,
    paths: [...files.keys()],
    refused,
    read(path) {
      const file = files.get(path);
      if (file === undefined) return undefined;
      const known = contents.get(file) ?? lazyFile(join(root, file));
      contents.set(file, known);
      return known;
    },
  };
}

async function list(root: string, folder: string, entries: Map<string, DesiredEntry>): Promise<void> {
  for (const child of await children(join(root, folder))) {
    const path = `${folder}/${child.name}`;
    if (child.isDirectory()) await list(root, path, entries);
    else if (!isStaged(child.name)) entries.set(path, await entryOf(join(root, path), child));
  }
}

async function children(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

async function entryOf(path: string, child: Dirent): Promise<DesiredEntry> {
  if (child.isFile()) return { kind: "file" };
  if (child.isSymbolicLink()) return { kind: "link", target: await readlink(path) };
  return { kind: "other", what: "neither a file nor a folder" };
}

function lazyFile(path: string): FileContent {
  let kept: Uint8Array | undefined;
  let digest: string | undefined;
  const bytes = (): Uint8Array => {
    if (kept !== undefined) return kept;
    const read = readFileSync(path);
    if (read.length <= KEEP_LIMIT) kept = read;
    return read;
  };
  return {
    get sha256() {
      digest ??= createHash("sha256").update(bytes()).digest("hex");
      return digest;
    },
    // Asked before the bytes are, so that a huge file is refused without being read.
    get size() {
      return kept?.length ?? statSync(path).size;
    },
    bytes,
  };
}
