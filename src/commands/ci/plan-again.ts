import type { PlanDocument } from "../../model/plan-document.ts";
import type { Clock, History, ObservedFiles, Repository, Simulator } from "../../ports.ts";
import { planDocumentOf } from "../plan-document-of.ts";

export interface PlanAgainDoors {
  readonly repository: Repository;
  readonly history: Pick<History, "commit">;
  readonly simulator: Simulator;
  readonly clock: Clock;
}

export interface PlannedFrom {
  /** Whose desired files are planned. Full id, and in the clone. */
  readonly commit: string;
  /** What nodes are taken to be at; null: what the record says. */
  readonly base: string | null;
  readonly observed: ObservedFiles;
}

const NO_LIVE: ObservedFiles = { commit: null, paths: [], read: () => undefined };

/**
 * The plan of a commit beside a record, from git alone and without `observed-live`, which has no history: what depends on
 * recorded commits only can be made again at any time (DESIGN §6). null: it cannot, because some commit is gone.
 */
export async function planAgain(
  { repository, history, simulator, clock }: PlanAgainDoors,
  { commit, base, observed }: PlannedFrom,
): Promise<PlanDocument | null> {
  const files = await repository.at(commit);
  if (files === undefined) return null;
  const asItWas: Repository = {
    workingTree: async () => files,
    at: (ref) => repository.at(ref),
    standing: async () => ({ git: true, head: commit, dirty: [], mainBranch: null, merged: true, behind: false }),
    main: () => repository.main(),
    lineage: (head, recorded) => repository.lineage(head, recorded),
  };
  const store = () => ({ read: async () => ({ observed, live: NO_LIVE }) });
  const doors = { repository: asItWas, history, store, simulator, clock, open: null };
  const answer = await planDocumentOf(doors, { base, scheduleMs: null });
  return "refusal" in answer ? null : answer.document;
}
