import type { ObservedFiles } from "../ports.ts";

/** What was merged and what people had reviewed of it (DESIGN §6), in git. Read only; what is gone is an answer. */
export interface MergedPast {
  /**
   * Commits of `head`'s first-parent line that `since` does not have and that changed desired files, newest first; at most
   * `most`. Full ids.
   */
  changes(since: string, head: string, most: number): Promise<readonly string[]>;
  /** The commit is here afterwards with what came before it, fetched by its id where it was not; false: nobody has it. */
  bring(commit: string): Promise<boolean>;
  /** Files of the record at a commit of the observed branch, fetched where they are not here; undefined: they are gone. */
  observedAt(commit: string): Promise<ObservedFiles | undefined>;
}
