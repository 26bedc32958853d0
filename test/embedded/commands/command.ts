import type { ExecResult, ResolvedCommandContext } from "just-bash";
import type { MemoryNode } from "../../../src/adapters/memory/memory-node.ts";
import type { NodeFileSystem } from "../file-system.ts";
import type { Machine } from "../machine.ts";
import type { NodeProcess } from "../process.ts";

/** What a program of a node can get at. */
export interface NodeSystem {
  readonly machine: Machine;
  readonly node: MemoryNode;
  /** As the process sees them. */
  readonly files: NodeFileSystem;
  readonly process: NodeProcess;
}

/** A program of a simulated node: what just-bash lacks, or does otherwise than Debian. */
export type NodeCommand = (
  args: readonly string[],
  shell: ResolvedCommandContext,
  system: NodeSystem,
) => ExecResult | Promise<ExecResult>;

export const DONE: ExecResult = { stdout: "", stderr: "", exitCode: 0 };

export function printed(stdout: string): ExecResult {
  return { stdout, stderr: "", exitCode: 0 };
}

export function failed(message: string, exitCode = 1): ExecResult {
  return { stdout: "", stderr: `${message}\n`, exitCode };
}

/** Output of several parts of one program; the last failure is its status. */
export function joined(results: readonly ExecResult[]): ExecResult {
  return {
    stdout: results.map((result) => result.stdout).join(""),
    stderr: results.map((result) => result.stderr).join(""),
    exitCode: results.findLast((result) => result.exitCode !== 0)?.exitCode ?? 0,
  };
}

/** Runs another program of the node, arguments untouched, as `sudo`, `timeout` and the like do. */
export async function runProgram(
  [program, ...args]: readonly string[],
  shell: ResolvedCommandContext,
  env: Readonly<Record<string, string>> = {},
): Promise<ExecResult> {
  if (program === undefined || shell.exec === undefined) return failed("no program to run", 125);
  const stdin = Buffer.from(shell.stdin as unknown as string, "latin1").toString("latin1");
  const quoted = `'${program.replaceAll("'", "'\\''")}'`;
  return shell.exec(quoted, {
    cwd: shell.cwd,
    env: { ...shell.exportedEnv, ...env },
    replaceEnv: true,
    stdin,
    stdinKind: "bytes",
    args: [...args],
    ...(shell.signal === undefined ? {} : { signal: shell.signal }),
  });
}
