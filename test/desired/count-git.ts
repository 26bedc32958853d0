import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./git-fleet.ts";

/** The git commands that some work starts, as git's own trace has them. */
export async function countGit(work: () => Promise<void>): Promise<string[]> {
  const trace = join(temporaryFolder(), "trace");
  process.env.GIT_TRACE = trace;
  try {
    await work();
  } finally {
    delete process.env.GIT_TRACE;
  }
  return trees(trace).flatMap((line) => /trace: built-in: git (\S+)/.exec(line)?.[1] ?? []);
}

function trees(trace: string): string[] {
  try {
    return readFileSync(trace, "utf8").split("\n");
  } catch {
    return [];
  } finally {
    rmSync(trace, { force: true });
  }
}
