import { spawn } from "node:child_process";
import { constants } from "node:os";

export interface Completed {
  /** The exit status; 128 + number when a signal ended the process, as a shell would say. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Fed to the process; without it, its standard input is empty. */
  readonly stdin?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
  /** After this many milliseconds the process and its children are killed and the promise is rejected. */
  readonly timeoutMs: number;
}

/** Runs a program to its end. Rejects only when it cannot be started or does not end in time. */
export function runProcess(file: string, args: readonly string[], options: RunOptions): Promise<Completed> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that a timeout reaches what nsenter and ssh have forked.
    const child = spawn(file, args, { env: options.env ?? process.env, stdio: "pipe", detached: true });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const text = (name: "stdout" | "stderr"): string => Buffer.concat(output[name]).toString("utf8");
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      reject(
        new Error(
          `${file} ${args.join(" ")}: not done after ${options.timeoutMs} ms\n${text("stdout")}${text("stderr")}`,
        ),
      );
    }, options.timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => output.stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.stderr.push(chunk));
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const status = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ code: status, stdout: text("stdout"), stderr: text("stderr") });
    });
    child.stdin.on("error", () => {}); // a process may end before it has read everything
    child.stdin.end(options.stdin ?? "");
  });
}
