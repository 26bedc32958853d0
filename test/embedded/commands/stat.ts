import path from "node:path/posix";
import type { ExecResult } from "just-bash";
import { numberOf } from "../account-number.ts";
import { failed, joined, type NodeCommand, type NodeSystem, printed } from "./command.ts";
import { readOptions } from "./options.ts";

const TYPE_BITS = { directory: 0o040000, link: 0o120000, other: 0o020000, file: 0o100000 };

/** coreutils' stat: does not follow a link unless told, and knows who owns what. */
const stat: NodeCommand = async (args, shell, system) => {
  const options = readOptions(args, { short: "c:Lt", long: ["format=", "printf=", "dereference"] });
  const escapes = options.value("printf");
  const format = escapes === undefined ? `${options.value("c", "format") ?? "%n"}\n` : unescaped(escapes);
  const results: ExecResult[] = [];
  for (const name of options.operands) {
    const values = await statValues(system, path.resolve(shell.cwd, name), options.has("L", "dereference"));
    results.push(
      values === null
        ? failed(`stat: cannot statx '${name}': No such file or directory`)
        : printed(
            format.replace(/%([a-zA-Z%])/g, (_all, letter: string) => values[letter] ?? (letter === "n" ? name : "?")),
          ),
    );
  }
  return joined(results);
};

/** By format letter; null when nothing is there. Times and inodes are not modelled: `?`. */
async function statValues(
  { files, node }: NodeSystem,
  file: string,
  follow: boolean,
): Promise<Record<string, string> | null> {
  const place = follow ? await files.realpath(file).catch(() => file) : file;
  const found = files.entry(place);
  if (found === undefined) return null;
  const { size } = await files.lstat(place);
  return {
    "%": "%",
    F: typeName(found.type, size),
    N: found.type === "link" ? `${quoted(file)} -> ${quoted(found.target)}` : quoted(file),
    a: found.mode.replace(/^0+(?=.)/, ""),
    f: (TYPE_BITS[found.type] | Number.parseInt(found.mode, 8)).toString(16),
    u: String(numberOf(node.users.keys(), found.owner)),
    g: String(numberOf(node.groups, found.group)),
    U: found.owner,
    G: found.group,
    s: String(size),
    h: found.type === "directory" ? "2" : "1",
  };
}

/** As with QUOTING_STYLE=c. */
function quoted(name: string): string {
  return JSON.stringify(name);
}

function typeName(type: keyof typeof TYPE_BITS, size: number): string {
  if (type === "file") return size === 0 ? "regular empty file" : "regular file";
  return { directory: "directory", link: "symbolic link", other: "character special file" }[type];
}

function unescaped(text: string): string {
  const known: Readonly<Record<string, string>> = { n: "\n", t: "\t", "0": "\0", "\\": "\\" };
  return text.replace(/\\(.)/g, (all, letter: string) => known[letter] ?? all);
}

export const STAT_COMMANDS = { stat };
