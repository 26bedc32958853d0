import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { sep } from "node:path";
import { problem, type SecretProblem } from "./contract.ts";

export type FoundFile =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing" }
  | SecretProblem;

/** The file that a path leads to in the end, all links followed. `what` names it in messages. */
export async function locate(path: string, what: string): Promise<FoundFile> {
  try {
    return { kind: "found", path: await realpath(path) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return unreadable(what, error);
  }
}

/** Whether a path with all links followed is below a folder, links in the folder's own name followed too. */
export async function isBelow(path: string, folder: string): Promise<boolean> {
  return path.startsWith(`${await realpath(folder)}${sep}`);
}

/** The bytes of a regular file, at most `limit` and one more. Nothing else is waited for: no pipe, no device. */
export async function readSmallFile(path: string, what: string, limit: number): Promise<Uint8Array | SecretProblem> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return problem("not-a-file", `${what} is not a regular file`, "Name a file.");
    const buffer = Buffer.alloc(limit + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < buffer.length; length += read) {
      ({ bytesRead: read } = await file.read(buffer, length, buffer.length - length));
    }
    return buffer.subarray(0, length);
  } catch (error) {
    return unreadable(what, error);
  } finally {
    await file?.close();
  }
}

function unreadable(what: string, error: unknown): SecretProblem {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) throw error;
  return problem("unreadable", `${what} cannot be read: ${code}`, "Let the account that runs rollcall read it.");
}
