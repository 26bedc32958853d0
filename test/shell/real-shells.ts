import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Frame, frameReader } from "../../src/shell/framing.ts";
import { wholeScript } from "../../src/shell/script.ts";

/** The shells that /bin/sh is on the machines of a fleet, as far as this machine has them; `sh` is one anywhere. */
export const SHELLS: readonly (readonly string[])[] = [
  ["sh", "-s"],
  ["dash", "-s"],
  ["bash", "--posix", "-s"],
  ["busybox", "sh", "-s"],
].filter(([program]) => spawnSync(program as string, ["-c", "true"]).error === undefined);

export interface Answer {
  readonly frame: Frame;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly progress: readonly number[];
}

export function newBoundary(): string {
  return randomBytes(16).toString("hex");
}

/** Runs the body as a node would, with a state folder of its own. */
export async function answerOf(shell: readonly string[], body: string, stateFolder: string): Promise<Answer> {
  const boundary = newBoundary();
  const { stdout, stderr, code } = await pipeInto(shell, wholeScript(body, { boundary, stateFolder }));
  const progress: number[] = [];
  const reader = frameReader(boundary, (index) => progress.push(index));
  reader.push(stdout);
  return { frame: reader.frame(), stdout, stderr, code, progress };
}

/** Feeds a shell's stdin; both outputs come back as Latin-1. */
export function pipeInto(
  shell: readonly string[],
  script: string | Buffer,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell[0] as string, shell.slice(1), { stdio: "pipe" });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("latin1").on("data", (piece: string) => {
      stdout += piece;
    });
    child.stderr.setEncoding("latin1").on("data", (piece: string) => {
      stderr += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ stdout, stderr, code }));
    child.stdin.on("error", () => {}); // a shell that ends before it has read all
    child.stdin.end(script);
  });
}

/** A folder that is gone when the callback has ended. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-shell-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
