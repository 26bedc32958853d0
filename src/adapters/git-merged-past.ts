import { resolve } from "node:path";
import { DESIRED_FOLDERS } from "../model/desired-folders.ts";
import type { MergedPast } from "../ports/merged-past.ts";
import { askGit, demandGit } from "./git-process.ts";
import { fetchRefs, hasRemote } from "./git-remote.ts";
import { CommitFiles } from "./observed/commit-files.ts";

/** Full ids alone: a name could be an option, or another commit tomorrow. */
const COMMIT_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** The past in the clone and, where that lacks a commit, in `origin`, which hands out any that it still has by its id. */
export function gitMergedPast(folder: string): MergedPast {
  const root = resolve(folder);
  const record = new CommitFiles(root);

  async function bring(commit: string, options: readonly string[]): Promise<boolean> {
    if (!COMMIT_ID.test(commit)) return false;
    if (await isHere(root, commit)) return true;
    if (!(await hasRemote(root))) return false;
    await fetchRefs(root, [commit], options);
    return isHere(root, commit);
  }

  return {
    async changes(since, head, most) {
      const range = ["rev-list", "--first-parent", `--max-count=${most}`, `${since}..${head}`, "--", ...DESIRED_FOLDERS];
      return (await demandGit(root, range)).toString("utf8").split("\n").filter(Boolean);
    },
    bring: (commit) => bring(commit, []),
    async observedAt(commit) {
      // The record's history is of no use here, and the clone has none of it.
      return (await bring(commit, ["--depth=1"])) ? record.at(commit) : undefined;
    },
  };
}

async function isHere(root: string, commit: string): Promise<boolean> {
  return (await askGit(root, "cat-file", "-e", `${commit}^{commit}`)) !== undefined;
}
