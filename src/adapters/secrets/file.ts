import { isAbsolute, join, sep } from "node:path";
import { problem, type SecretProblem, type SecretSource } from "./contract.ts";
import { gitStanding } from "./git-standing.ts";
import { SECRET_LIMIT, secretText } from "./secret-text.ts";
import { isBelow, locate, readSmallFile } from "./small-file.ts";

export interface FileSourceOptions {
  /** The fleet repository: what relative paths start from, and must not leave. */
  readonly root: string;
  /** For git. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * `file:PATH`, a file on the machine that runs rollcall. It is refused when git has it, or would take it with the next
 * `git add`: a secret in a work tree must be ignored. Links are followed first, so that neither rule can be gone around.
 */
export function fileSource({ root, environment }: FileSourceOptions): SecretSource {
  return async (target) => {
    const what = `the file ${target}`;
    const found = await locate(isAbsolute(target) ? target : join(root, target), what);
    if (found.kind === "missing") return { kind: "absent", why: `${what} is not here` };
    if (found.kind === "problem") return found;
    if (!isAbsolute(target) && !(await isBelow(found.path, root))) {
      const hint = "Name the file itself, by its absolute path.";
      return problem("outside-repository", `${what} is a link that leads out of the repository`, hint);
    }
    const forbidden = forbiddenPlace(found.path, what) ?? (await gitProblem(found.path, what, environment));
    if (forbidden !== null) return forbidden;
    const content = await readSmallFile(found.path, what, SECRET_LIMIT);
    return content instanceof Uint8Array ? secretText(content, what) : content;
  };
}

/** Where the keys of rollcall itself could be found: its environment under /proc, a checkout's token in .git/config. */
function forbiddenPlace(path: string, what: string): SecretProblem | null {
  if (!/^\/(proc|sys|dev(?!\/shm\/))\//.test(path) && !path.split(sep).includes(".git")) return null;
  const hint = "Put the secret into a file of its own.";
  return problem(
    "forbidden-path",
    `${what} is in /proc, /sys, /dev or .git, from where nothing is sent to a node`,
    hint,
  );
}

async function gitProblem(path: string, what: string, environment: NodeJS.ProcessEnv): Promise<SecretProblem | null> {
  const standing = await gitStanding(path, environment);
  if (standing.kind === "kept-out") return null;
  if (standing.kind === "tracked") {
    const hint = "Change the secret, remove the file from git, and add it to .gitignore; or encrypt it and use age:.";
    return problem("secret-committed", `${what} is in git: who can read the repository has the secret`, hint);
  }
  if (standing.kind === "not-ignored") {
    const hint = "Add it to .gitignore, or keep it outside the repository.";
    return problem("secret-not-ignored", `${what} is in a git work tree and not ignored`, hint);
  }
  const hint = "git must be able to say that the file is not committed.";
  return problem("git-failed", `git does not say whether ${what} is committed: ${standing.message}`, hint);
}
