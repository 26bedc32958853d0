import path from "node:path/posix";
import type { ExecResult } from "just-bash";
import type { Machine } from "../machine.ts";
import { failed, joined, type NodeCommand, printed } from "./command.ts";
import { readOptions } from "./options.ts";

const TYPE_BITS = { directory: 0o040000, link: 0o120000, device: 0o020000, file: 0o100000 };

/** coreutils' stat: does not follow a link unless told, and knows who owns what. */
const stat: NodeCommand = async (args, shell, machine) => {
  const options = readOptions(args, { short: "c:Lt", long: ["format=", "printf=", "dereference"] });
  const escapes = options.value("printf");
  const format = escapes === undefined ? `${options.value("c", "format") ?? "%n"}\n` : unescaped(escapes);
  const results: ExecResult[] = [];
  for (const name of options.operands) {
    const values = await statValues(machine, path.resolve(shell.cwd, name), options.has("L", "dereference"));
    results.push(
      values === null
        ? failed(`stat: cannot statx '${name}': No such file or directory`)
        : printed(format.replace(/%([a-zA-Z%])/g, (_all, letter: string) => values[letter] ?? (letter === "n" ? name : "?"))),
    );
  }
  return joined(results);
};

/** By format letter; null when nothing is there. */
async function statValues(machine: Machine, file: string, follow: boolean): Promise<Record<string, string> | null> {
  const { files, accounts } = machine;
  const found = await (follow ? files.stat(file) : files.lstat(file)).catch(() => null);
  if (found === null) return null;
  const owner = await files.owner(follow ? await files.realpath(file) : file);
  const device = files.isDevice(file);
  const kind = found.isSymbolicLink ? "link" : found.isDirectory ? "directory" : device ? "device" : "file";
  const permissions = found.isSymbolicLink ? 0o777 : found.mode & 0o7777;
  return {
    "%": "%",
    F: typeName(kind, found.size),
    a: permissions.toString(8),
    f: (TYPE_BITS[kind] | permissions).toString(16),
    u: String(owner.uid),
    g: String(owner.gid),
    U: await accounts.userName(owner.uid),
    G: await accounts.groupName(owner.gid),
    s: String(found.isDirectory ? 4096 : found.size),
    h: found.isDirectory ? "2" : "1",
    i: String(inode(found.identity ?? file)),
    d: "65024",
    Y: String(Math.floor(found.mtime.getTime() / 1000)),
    Z: String(Math.floor(found.mtime.getTime() / 1000)),
  };
}

function typeName(kind: keyof typeof TYPE_BITS, size: number): string {
  if (kind === "file") return size === 0 ? "regular empty file" : "regular file";
  return { directory: "directory", link: "symbolic link", device: "character special file" }[kind];
}

/** The file system's own number, `memfs:17`, or one made from the path of what has none. */
function inode(identity: string): number {
  const own = /^memfs:([0-9]+)$/.exec(identity)?.[1];
  return own === undefined ? [...identity].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7) : +own;
}

function unescaped(text: string): string {
  const known: Readonly<Record<string, string>> = { n: "\n", t: "\t", "0": "\0", "\\": "\\" };
  return text.replace(/\\(.)/g, (all, letter: string) => known[letter] ?? all);
}

export const STAT_COMMANDS = { stat };
