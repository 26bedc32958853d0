import type { PlanDocument } from "../../model/plan-document.ts";
import type { RemoteCommits } from "../../ports/remote-commits.ts";
import type { Clock, History, ObservedFiles, Repository, Simulator } from "../../ports.ts";
import { planDocumentOf } from "../plan-document-of.ts";

export interface RecomputeDoors {
  readonly repository: Repository;
  readonly history: Pick<History, "commit">;
  readonly simulator: Simulator;
  readonly clock: Clock;
  readonly commits: Pick<RemoteCommits, "fetch" | "observed">;
}

/** What a plan is a function of, by full ids. */
export interface PlanCommits {
  /** null: it was planned against what was last reconciled. */
  readonly base: string | null;
  /** Whose files were planned. */
  readonly merge: string;
  /** Of the observed branch; null: there was none. */
  readonly observed: string | null;
}

/**
 * A plan made again from commits alone (DESIGN §6: it is a pure function of them), without the signs of life that are kept
 * nowhere. `gone`: why it cannot be, in one line.
 */
export async function recomputedPlan(
  doors: RecomputeDoors,
  { base, merge, observed }: PlanCommits,
): Promise<PlanDocument | { readonly gone: string }> {
  for (const commit of [base, merge]) {
    if (commit === null || (await doors.history.commit(commit)) !== undefined) continue;
    if (!(await doors.commits.fetch(commit))) return { gone: `commit ${commit.slice(0, 7)} is no longer there` };
  }
  const record = observed === null ? NOTHING : await doors.commits.observed(observed);
  if (record === undefined) return { gone: `the record ${observed?.slice(0, 7)} is no longer there` };
  const { repository, history, simulator, clock } = doors;
  const store = () => ({ read: async () => ({ observed: record, live: NOTHING }) });
  const answer = await planDocumentOf(
    { repository: atCommit(repository, merge), history, simulator, clock, store, open: null },
    { base, scheduleMs: null },
  );
  return "refusal" in answer ? { gone: answer.refusal.message } : answer.document;
}

/** The repository as if that commit were checked out, without a look at what is: a change is data (DESIGN §6). */
export function atCommit(repository: Repository, commit: string): Repository {
  return {
    ...repository,
    async workingTree() {
      const files = await repository.at(commit);
      if (files === undefined) throw new Error(`commit ${commit} is not here`);
      return files;
    },
    standing: async () => ({ git: true, head: commit, dirty: [], mainBranch: null, merged: false, behind: false }),
  };
}

const NOTHING: ObservedFiles = { commit: null, paths: [], read: () => undefined };
