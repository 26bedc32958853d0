import { demandGit } from "./git-process.ts";
import { fetchRefs, type GitRefusal, REMOTE, refusalOf } from "./git-remote.ts";

/** A pull request as GitHub merged it for a trial. Full commit ids. */
export interface MergeCommit {
  readonly kind: "fetched";
  readonly merge: string;
  readonly base: string;
  readonly head: string;
}

/**
 * Fetches `refs/pull/N/merge` as data: objects and a ref, no work tree, so that nothing of it runs. GitHub keeps an old one
 * while there is a conflict: hold `head` against what the API says.
 */
export async function fetchMergeCommit(folder: string, pullRequest: number): Promise<MergeCommit | GitRefusal> {
  const ref = `refs/remotes/${REMOTE}/pull/${pullRequest}/merge`;
  const answer = await fetchRefs(folder, [`+refs/pull/${pullRequest}/merge:${ref}`]);
  if (answer.code !== 0) {
    const missing = /couldn't find remote ref/i.test(answer.err);
    return missing ? noMerge(pullRequest) : refusalOf(answer);
  }
  const merge = (await demandGit(folder, ["rev-parse", "--verify", `${ref}^{commit}`])).toString().trim();
  // The commit itself, not what a shallow clone makes of it: there its parents are hidden.
  const text = (await demandGit(folder, ["cat-file", "commit", merge])).toString("utf8");
  const lines = text.slice(0, text.indexOf("\n\n")).split("\n");
  const [base, head, ...more] = lines.flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? []);
  if (base === undefined || head === undefined || more.length > 0) return noMerge(pullRequest);
  return { kind: "fetched", merge, base, head };
}

function noMerge(pullRequest: number): GitRefusal {
  return {
    kind: "failed",
    code: "no-merge-commit",
    message: `#${pullRequest} cannot be merged as it is`,
    hint: "resolve its conflicts with the base branch",
  };
}
