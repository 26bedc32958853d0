import type { ObservedFiles } from "../ports.ts";

/** Commits that no branch of this clone need have: of pull requests, and of what people saw before (DESIGN §6). */
export interface RemoteCommits {
  /** Makes a commit readable here, by its full id. False: it is gone, or the remote does not give it away. */
  fetch(commit: string): Promise<boolean>;
  /** A pull request as the forge has merged it for a trial; a problem in one line where there is none, as with a conflict. */
  pullRequest(number: number): Promise<TrialMerge | { readonly problem: string }>;
  /** The record as that commit of the observed branch has it; undefined: it is gone. */
  observed(commit: string): Promise<ObservedFiles | undefined>;
}

export interface TrialMerge {
  readonly merge: string;
  /** What it was merged into, and the newest commit of the change. */
  readonly base: string;
  readonly head: string;
}
