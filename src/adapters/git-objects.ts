import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import type { FileContent } from "../model/file-content.ts";
import { gitEnvironment } from "./git-environment.ts";
import { demandGit } from "./git-process.ts";

/** A line of `git ls-tree -r -z -l`. */
export interface TreeEntry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  /** Bytes; 0 for what is no blob. */
  readonly size: number;
  readonly path: string;
}

export function parseTree(output: string): TreeEntry[] {
  return output
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const match = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line);
      if (match === null) throw new Error(`git ls-tree printed a line that is not understood: ${line}`);
      const [, mode = "", type = "", id = "", size = "", path = ""] = match;
      return { mode, type, id, size: Number(size) || 0, path };
    });
}

/** Bytes: a blob above the first, or what would make the sum larger than the second, is read when it is asked for. */
const BLOB_LIMIT = 4 * 1024 * 1024;
const BUDGET = 256 * 1024 * 1024;

/** The contents of blobs, by id: all of usual size through one `git cat-file --batch`. */
export async function readBlobs(
  folder: string,
  entries: readonly TreeEntry[],
): Promise<ReadonlyMap<string, FileContent>> {
  const sizes = new Map(entries.map(({ id, size }) => [id, size]));
  let left = BUDGET;
  const eager = [...sizes].flatMap(([id, size]) => {
    if (size > BLOB_LIMIT || size > left) return [];
    left -= size;
    return id;
  });
  const read = await batch(folder, eager);
  return new Map(
    [...sizes].map(([id, size]) => {
      const bytes = read.get(id);
      return [id, content(size, bytes === undefined ? () => blob(folder, id, size) : () => bytes)];
    }),
  );
}

function content(size: number, bytes: () => Uint8Array): FileContent {
  let digest: string | undefined;
  return {
    get sha256() {
      digest ??= createHash("sha256").update(bytes()).digest("hex");
      return digest;
    },
    size,
    bytes,
  };
}

function blob(folder: string, id: string, size: number): Uint8Array {
  return execFileSync("git", ["cat-file", "blob", id], {
    cwd: folder,
    env: gitEnvironment(process.env),
    maxBuffer: size + 1024,
  });
}

async function batch(folder: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  if (ids.length === 0) return new Map();
  const output = await demandGit(folder, ["cat-file", "--batch"], { input: ids.map((id) => `${id}\n`).join("") });
  return parseBatch(output, ids);
}

/** `<id> blob <size>\n<bytes>\n`, one after the other, in the order asked. */
function parseBatch(output: Buffer, ids: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  let at = 0;
  for (const id of ids) {
    const end = output.indexOf(10, at);
    const header = output.toString("latin1", at, end);
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
    if (end === -1 || size === undefined || !header.startsWith(id)) throw new Error(`git has no blob ${id}: ${header}`);
    blobs.set(id, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return blobs;
}
