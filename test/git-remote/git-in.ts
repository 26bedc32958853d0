import { execFileSync } from "node:child_process";

/** Nothing of the person who runs the tests: no configuration, and no name, as on a runner. */
export const BARE_ENVIRONMENT = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

export function gitIn(folder: string, ...words: string[]): string {
  const options = { cwd: folder, env: BARE_ENVIRONMENT, stdio: "pipe", maxBuffer: 256 * 1024 * 1024 } as const;
  return execFileSync("git", words, { ...options, encoding: "utf8" }).trim();
}
