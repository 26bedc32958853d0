import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { Trouble } from "../kit/trouble.ts";
import { gitEnvironment } from "./git-environment.ts";

/** How one git process ended. What it printed is not masked yet. */
export interface GitAnswer {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
  /** It was ended here, because it took too long. */
  readonly timedOut: boolean;
}

export interface GitProcessOptions {
  readonly input?: string | Buffer;
  /** Milliseconds; a remote that takes the connection and then says nothing must not hold a run for ever. */
  readonly limit?: number;
}

/** What of the caller's environment says how a remote is reached; the checkout's own configuration counts besides. */
const WAY_TO_REMOTES = /^GIT_(SSH|ASKPASS|SSL|HTTP|PROXY)/;

/**
 * One git process with its exit status, its bytes and both of its streams, which simple-git does not tell apart. It speaks
 * English, whatever the caller's language (what it says is read), and never asks a person.
 */
export async function runGit(
  folder: string,
  words: readonly string[],
  { input, limit }: GitProcessOptions = {},
): Promise<GitAnswer> {
  const child = spawn("git", words, { cwd: folder, env: environment() });
  let timedOut = false;
  const timer =
    limit === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          child.kill();
        }, limit);
  const exit = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  // git may end before it has read all; its exit status tells.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  try {
    const [out, err] = [chunksOf(child.stdout), chunksOf(child.stderr)];
    const code = await exit;
    return { code, out: Buffer.concat(out), err: Buffer.concat(err).toString("utf8"), timedOut };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Trouble("there is no git here", { code: "git-missing", hint: "install git", cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Whole once the process has closed. `buffer` of node:stream/consumers goes through a Blob, at a cost above git's own. */
function chunksOf(stream: Readable): Buffer[] {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return chunks;
}

/** What a question printed, less the last line break; undefined when git says no. */
export async function askGit(folder: string, ...words: readonly string[]): Promise<string | undefined> {
  const { code, out } = await runGit(folder, words);
  return code === 0 ? out.toString("utf8").replace(/\n$/, "") : undefined;
}

/** The bytes that git must be able to give: anything else is trouble with the repository, in git's own words. */
export async function demandGit(
  folder: string,
  words: readonly string[],
  options: GitProcessOptions = {},
): Promise<Buffer> {
  const { code, out, err } = await runGit(folder, words, options);
  if (code === 0) return out;
  throw new Trouble(gitWords(err) || `git ${words[0]} ended with ${code}`, {
    code: "git-failed",
    hint: `run git -C ${folder} status, and mend what it says`,
  });
}

/** The line of git's complaint that says most, without credentials: a server's own word, else the first error. */
export function gitWords(complaint: string): string {
  const lines = masked(complaint)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "remote:");
  const telling = [/^remote: (error|fatal): /, /^remote: /, /^(fatal|error): /].flatMap(
    (kind) => lines.find((line) => kind.test(line)) ?? [],
  );
  return (telling[0] ?? lines[0] ?? "").replace(/^remote: /, "").slice(0, 400);
}

/** Addresses of remotes may carry a name and a token: `https://x:token@host/…`. */
function masked(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+(?:@[^\s/@]+)*@/gi, "$1***@");
}

function environment(): NodeJS.ProcessEnv {
  const ways = Object.entries(process.env).filter(([name]) => WAY_TO_REMOTES.test(name));
  return {
    ...gitEnvironment(process.env),
    ...Object.fromEntries(ways),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // glibc gives memory back to the kernel after each object that git packs, which is half of the time of a large record.
    MALLOC_TRIM_THRESHOLD_: "16777216",
  };
}
