/** What was merged since a commit (DESIGN §6). Read only. */
export interface MergedPast {
  /**
   * Commits of `head`'s first-parent line that `since` does not have and that changed desired files, newest first; at most
   * `most`. Full ids.
   */
  changes(since: string, head: string, most: number): Promise<readonly string[]>;
}
