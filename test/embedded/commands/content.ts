import path from "node:path/posix";
import type { ExecResult } from "just-bash";
import { sha256Hex } from "../../../src/kit/digest.ts";
import type { NodeFileSystem } from "../file-system.ts";
import { failed, joined, type NodeCommand, printed } from "./command.ts";
import { readOptions } from "./options.ts";

/** With `--`, and of any bytes. */
const sha256sum: NodeCommand = async (args, shell, { files }) => {
  const { operands } = readOptions(args, { short: "bt", long: ["binary", "text"] });
  const results: ExecResult[] = [];
  for (const name of operands.length === 0 ? ["-"] : operands) {
    const bytes = name === "-" ? stdinBytes(shell.stdin) : await bytesAt(files, path.resolve(shell.cwd, name));
    results.push(
      bytes === null
        ? failed(`sha256sum: ${name}: No such file or directory`)
        : printed(sumLine(sha256Hex(bytes), name)),
    );
  }
  return joined(results);
};

/** A name with a backslash or a line break is escaped, and a backslash before the sum says so. */
function sumLine(sum: string, name: string): string {
  const escaped = name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `${escaped === name ? "" : "\\"}${sum}  ${escaped}\n`;
}

/** just-bash hands bytes over as a string of one character each, of a type that hides it. */
function stdinBytes(stdin: unknown): Uint8Array {
  return Buffer.from(String(stdin), "latin1");
}

/** `cmp -s`: the exit status only. */
const cmp: NodeCommand = async (args, shell, { files }) => {
  const [left = "", right = ""] = readOptions(args, { short: "s", long: ["silent", "quiet"] }).operands;
  const read = (name: string) =>
    name === "-" ? Promise.resolve(stdinBytes(shell.stdin)) : files.readFileBuffer(path.resolve(shell.cwd, name));
  try {
    const [a, b] = [await read(left), await read(right)];
    return { stdout: "", stderr: "", exitCode: Buffer.compare(a, b) === 0 ? 0 : 1 };
  } catch (error) {
    return failed(`cmp: ${(error as Error).message}`, 2);
  }
};

/** Of any bytes, none included. */
const base64: NodeCommand = async (args, shell, { files }) => {
  const options = readOptions(args, { short: "dw:i", long: ["decode", "wrap=", "ignore-garbage"] });
  const [name = "-"] = options.operands;
  const bytes = name === "-" ? stdinBytes(shell.stdin) : await files.readFileBuffer(path.resolve(shell.cwd, name));
  const text = Buffer.from(bytes);
  if (options.has("d", "decode")) return printedBytes(Buffer.from(text.toString("latin1"), "base64"));
  const width = Number(options.value("w", "wrap") ?? "76");
  const lines =
    width === 0 ? [text.toString("base64")] : (text.toString("base64").match(new RegExp(`.{1,${width}}`, "g")) ?? []);
  return printed(lines.map((line) => (width === 0 ? line : `${line}\n`)).join(""));
};

/** First lines or bytes; of several files only with `-q`. */
const head: NodeCommand = async (args, shell, { files }) => {
  const options = readOptions(args, { short: "c:n:qv", long: ["bytes=", "lines=", "quiet", "silent", "verbose"] });
  const names = options.operands.length === 0 ? ["-"] : options.operands;
  const results: ExecResult[] = [];
  for (const name of names) {
    const bytes = name === "-" ? stdinBytes(shell.stdin) : await bytesAt(files, path.resolve(shell.cwd, name));
    if (bytes === null) results.push(failed(`head: cannot open '${name}' for reading: No such file or directory`));
    else
      results.push(printedBytes(firstOf(Buffer.from(bytes), options.value("c", "bytes"), options.value("n", "lines"))));
  }
  const titled = names.length > 1 && !options.has("q", "quiet", "silent");
  if (titled) return failed("head: names before the parts are not simulated");
  return { ...joined(results), stdoutKind: "bytes", stdoutEncoding: "binary" };
};

function firstOf(bytes: Buffer, count: string | undefined, lines: string | undefined): Buffer {
  if (count !== undefined) return bytes.subarray(0, Number(count));
  let end = 0;
  for (let left = Number(lines ?? "10"); left > 0 && end < bytes.length; left--) {
    const newline = bytes.indexOf(10, end);
    end = newline === -1 ? bytes.length : newline + 1;
  }
  return bytes.subarray(0, end);
}

function bytesAt(files: NodeFileSystem, file: string): Promise<Uint8Array | null> {
  return files.readFileBuffer(file).catch(() => null);
}

/** Output that is no text: just-bash wants one character a byte. */
function printedBytes(bytes: Buffer): ExecResult {
  return { stdout: bytes.toString("latin1"), stderr: "", exitCode: 0, stdoutKind: "bytes", stdoutEncoding: "binary" };
}

export const CONTENT_COMMANDS = { base64, cmp, head, sha256sum };
