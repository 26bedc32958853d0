import type { RemoteCommits } from "../ports/remote-commits.ts";
import { askGit, demandGit } from "./git-process.ts";
import { fetchRefs, fetchTip, hasRemote, refusalOf } from "./git-remote.ts";
import { CommitFiles } from "./observed/commit-files.ts";

const FULL_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** Leaves no branch, tag or FETCH_HEAD behind; the trial merge of a pull request stands in refs/rollcall/pull/. */
export function remoteCommits(folder: string): RemoteCommits {
  const isHere = async (commit: string) => (await askGit(folder, "cat-file", "-e", `${commit}^{commit}`)) !== undefined;
  const files = new CommitFiles(folder);

  async function fetched(commit: string, fetch: () => Promise<unknown>): Promise<boolean> {
    if (!FULL_ID.test(commit)) return false;
    if (await isHere(commit)) return true;
    if (!(await hasRemote(folder))) return false;
    await fetch();
    return isHere(commit);
  }

  return {
    fetch: (commit) => fetched(commit, () => fetchRefs(folder, [commit])),

    async pullRequest(number) {
      const ref = `refs/rollcall/pull/${number}`;
      const answer = await fetchRefs(folder, [`+refs/pull/${number}/merge:${ref}`]);
      if (answer.code !== 0) return { problem: `there is no trial merge of it: ${refusalOf(answer).message}` };
      const listed = await demandGit(folder, ["rev-list", "--parents", "--max-count=1", ref]);
      const [merge = "", base, head] = listed.toString("utf8").trim().split(" ");
      if (base === undefined || head === undefined) return { problem: "its trial merge has no two parents" };
      return { merge, base, head };
    },

    observed: async (commit) =>
      (await fetched(commit, () => fetchTip(folder, [commit], commit))) ? files.at(commit) : undefined,
  };
}
