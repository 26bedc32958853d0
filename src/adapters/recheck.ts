import { spawn } from "node:child_process";
import type { Recheck } from "../ports.ts";

export interface RecheckLimits {
  /** Milliseconds until it is ended. */
  readonly timeLimit?: number;
}

/** Of what it prints, bytes that are looked at; the rest is read and dropped. */
const MOST_OUTPUT = 4096;
/** For the last of its words to arrive, milliseconds. */
const GRACE_MS = 1000;

/**
 * Shell lines of down verdicts, run on this machine (DESIGN §3): an environment of PATH alone, stdin closed, at most 30 s, and
 * ended with everything it started. Who calls it has made sure that the line comes from main.
 */
export function shellRecheck({ timeLimit = 30_000 }: RecheckLimits = {}): Recheck {
  return { run: (line) => runLine(line, timeLimit) };
}

function runLine(line: string, timeLimit: number): Promise<{ passed: boolean; message: string }> {
  return new Promise((answer, reject) => {
    // A group of its own, so that what the line started can be ended with it.
    const child = spawn("/bin/sh", ["-c", line], {
      cwd: "/",
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group is gone already.
      }
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeLimit);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        if (output.length < MOST_OUTPUT) output = (output + text).slice(0, MOST_OUTPUT);
      });
    }
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    let grace: NodeJS.Timeout | undefined;
    child.on("exit", () => {
      clearTimeout(timer);
      // What it left in the background would hold the pipes open; what has fled the group is not waited for either.
      end();
      grace = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, GRACE_MS);
    });
    child.on("close", (code, signal) => {
      clearTimeout(grace);
      answer({ passed: code === 0 && !timedOut, message: describe({ code, signal, timedOut, timeLimit, output }) });
    });
  });
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly timeLimit: number;
  readonly output: string;
}

function describe({ code, signal, timedOut, timeLimit, output }: End): string {
  const ended = timedOut
    ? `no end after ${timeLimit / 1000} s`
    : signal === null
      ? `exit ${code}`
      : `ended by ${signal}`;
  const last = output.trim().split("\n").at(-1)?.trim() ?? "";
  return last === "" ? ended : `${ended}: ${last.slice(0, 300)}`;
}
