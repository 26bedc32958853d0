import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gitEnvironment } from "../git-environment.ts";

/** What git makes of a file: `kept-out` is one that it ignores, or that is in no work tree. */
export type GitStanding =
  | { readonly kind: "tracked" }
  | { readonly kind: "not-ignored" }
  | { readonly kind: "kept-out" }
  /** It is in a work tree, and git does not say more. */
  | { readonly kind: "unknown"; readonly message: string };

/** Asked in the file's own folder, so that a work tree other than the fleet's counts too. `path` holds no links. */
export async function gitStanding(path: string, environment: NodeJS.ProcessEnv): Promise<GitStanding> {
  const folder = dirname(path);
  if (!inWorkTree(folder)) return { kind: "kept-out" };
  const options = ["--literal-pathspecs", "ls-files", "-t", "-z", "--cached", "--others", "--exclude-standard"];
  const { code, output } = await git([...options, "--", basename(path)], folder, environment);
  if (code !== 0) return { kind: "unknown", message: output };
  if (output === "") return { kind: "kept-out" };
  return { kind: output.startsWith("? ") ? "not-ignored" : "tracked" };
}

function inWorkTree(folder: string): boolean {
  return existsSync(join(folder, ".git")) || (dirname(folder) !== folder && inWorkTree(dirname(folder)));
}

/** `output` is stdout, or what there is to say when it failed. */
function git(args: string[], cwd: string, environment: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile("git", args, { cwd, env: gitEnvironment(environment) }, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, output: stdout });
      else resolve({ code: 1, output: stderr.trim().split("\n")[0] || error.message });
    });
  });
}
