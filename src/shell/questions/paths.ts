import type { PathFact, PathType } from "../../model/node-facts.ts";
import type { PathQuestion } from "../../model/node-question.ts";
import type { QuestionBlock } from "../block.ts";
import { latin1Of, textOf } from "../latin1.ts";
import { quote } from "../quote.ts";

/**
 * What is at paths: `stat` of all of them, `sha256sum` of the regular files among those that ask for it, `find` of the
 * directories that ask whether they are empty; three processes at most for each {@link BATCH}. Nothing but a regular file
 * is ever opened: reading a pipe or a device need not end, and a link leads to another file (cases.md 31).
 *
 *     stat      `<hex mode>:<size>:<uid>:<gid>:<owner>:<group>:<path>`, then a line with the name and a link's target
 *     sha256    what sha256sum prints
 *     empty     the empty directories, and `find <status>` at the end
 */
export const paths: QuestionBlock<PathQuestion, PathFact> = {
  render: (questions) => batches(inOrder(questions)).map(renderBatch).join("\n"),
  parse(section, questions) {
    const batch = readBatches(section);
    // The root is always there. Where `stat` does not say so, it says nothing that can be relied on, and no fact is given.
    if (!batch.stats.has("/")) return new Map();
    return new Map(questions.map((question) => [question.path, factOf(question, batch)]));
  },
};

/** Bytes of quoted paths in one command: below what any kernel takes as arguments (128 KiB). */
const BATCH = 96 * 1024;

const FORMAT = "%f:%s:%u:%g:%U:%G:%n\n%N";

/** Those to hash first, so that one number in the script tells them from the rest. */
function inOrder(questions: readonly PathQuestion[]): readonly PathQuestion[] {
  return [...questions.filter(({ hash }) => hash), ...questions.filter(({ hash }) => !hash)];
}

function batches(questions: readonly PathQuestion[]): readonly (readonly PathQuestion[])[] {
  const all: PathQuestion[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const question of questions) {
    // At most four bytes a character in UTF-8, and the closing NUL.
    size += question.path.length * 4 + 1;
    if (size > BATCH) {
      all.push([]);
      size = question.path.length * 4 + 1;
    }
    all.at(-1)?.push(question);
  }
  return all;
}

/** Positional parameters are named by number in a text for `eval`, so that no path is ever read as shell. */
function renderBatch(questions: readonly PathQuestion[]): string {
  const hashed = questions.filter(({ hash }) => hash).length;
  const directories = questions.flatMap(({ entries }, index) => (entries ? [`"\${${index + 1}}"`] : []));
  const lines = [
    `set -- ${questions.map(({ path }) => quote(path)).join(" ")}`,
    "echo stat",
    // The C style keeps a target with a newline in it on one line; busybox has no styles and ignores the wish.
    `QUOTING_STYLE=c stat -c '${FORMAT}' -- / "$@" 2>/dev/null`,
  ];
  if (hashed > 0) {
    lines.push(
      "rc_number=0 rc_files=''",
      `for rc_path do
rc_number=$((rc_number + 1))
[ "$rc_number" -le ${hashed} ] || break
[ ! -f "$rc_path" ] || [ -L "$rc_path" ] || rc_files="$rc_files \\"\\\${$rc_number}\\""
done`,
      "echo sha256",
      '[ -z "$rc_files" ] || eval "sha256sum $rc_files" 2>/dev/null',
    );
  }
  if (directories.length > 0) {
    lines.push("echo empty", `find ${directories.join(" ")} -maxdepth 0 -type d -empty 2>/dev/null`, 'echo "find $?"');
  }
  return lines.join("\n");
}

interface Batch {
  /** Keyed by path, as are the others; all in Latin-1. */
  readonly stats: Map<string, readonly string[]>;
  readonly names: Map<string, string>;
  readonly sums: Map<string, string>;
  readonly empty: Set<string>;
  emptyKnown: boolean;
}

function readBatches(section: string): Batch {
  const batch: Batch = { stats: new Map(), names: new Map(), sums: new Map(), empty: new Set(), emptyKnown: false };
  let part = "";
  let last = "";
  for (const line of section.split("\n")) {
    if (line === "stat" || line === "sha256" || line === "empty") part = line;
    else if (part === "sha256") readSum(line, batch.sums);
    else if (part === "empty" && line.startsWith("/")) batch.empty.add(line);
    // GNU find fails when one of its paths is not there; that one has no stat line either.
    else if (part === "empty" && /^find [01]$/.test(line)) batch.emptyKnown = true;
    else if (part === "stat") {
      const fields = /^([0-9a-f]+):(\d+):(\d+):(\d+):([^:]*):([^:]*):(\/.*)$/.exec(line);
      const path = fields?.[7];
      if (fields === null || path === undefined) batch.names.set(last, line);
      else batch.stats.set(path, fields.slice(1, 7));
      last = path ?? last;
    }
  }
  return batch;
}

/** A backslash before the digits says that the name is escaped (cases.md 35); busybox never escapes. */
function readSum(line: string, sums: Map<string, string>): void {
  const [, escaped, sum, name] = /^(\\?)([0-9a-f]{64}) [ *](.*)$/.exec(line) ?? [];
  if (sum === undefined || name === undefined) return;
  sums.set(escaped === "" ? name : name.replace(/\\([\\nr])/g, (_all, letter: string) => ESCAPED[letter] ?? ""), sum);
}

const ESCAPED: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r" };

function factOf(question: PathQuestion, batch: Batch): PathFact {
  const path = latin1Of(question.path);
  const [hex, size, uid, gid, owner, group] = batch.stats.get(path) ?? [];
  if (hex === undefined) return { found: null };
  const bits = Number.parseInt(hex, 16);
  const type = TYPES.get(bits & 0o170000) ?? "other";
  return {
    found: {
      type,
      mode: (bits & 0o7777).toString(8).padStart(4, "0"),
      owner: account(owner, uid),
      group: account(group, gid),
      uid: Number(uid),
      gid: Number(gid),
      size: Number(size),
      sha256: type === "file" && question.hash ? (batch.sums.get(path) ?? null) : null,
      target: type === "link" ? targetOf(path, batch.names.get(path) ?? "") : null,
      empty: type === "directory" && question.entries && batch.emptyKnown ? batch.empty.has(path) : null,
    },
  };
}

// A map, since biome 2.6 rewrites octal numbers that are keys of an object into other numbers.
const TYPES: ReadonlyMap<number, PathType> = new Map([
  [0o100000, "file"],
  [0o040000, "directory"],
  [0o120000, "link"],
]);

/** `stat` says UNKNOWN, or nothing, where the node has no name for the number. */
function account(name: string | undefined, number: string | undefined): string {
  return name === undefined || name === "" || name === "UNKNOWN" ? (number ?? "") : textOf(name);
}

/** `"/a" -> "b"` with C escapes, or `'/a' -> 'b'` with none. */
function targetOf(path: string, line: string): string | null {
  const quoted = /^"(?:[^"\\]|\\.)*" -> "((?:[^"\\]|\\.)*)"$/.exec(line)?.[1];
  if (quoted !== undefined) return textOf(unescapeC(quoted));
  const plain = `'${path}' -> '`;
  return line.startsWith(plain) && line.endsWith("'") ? textOf(line.slice(plain.length, -1)) : null;
}

const C_ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};

function unescapeC(text: string): string {
  return text.replace(/\\([0-7]{3}|.)/g, (_all, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (C_ESCAPES[code] ?? code),
  );
}
