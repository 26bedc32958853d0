/** What `doctor --repo` says of one setting. `unknown`: it cannot be seen with this token, which is not the same as fine. */
export const FINDING_LEVELS = ["problem", "unknown", "advice", "fine"] as const;
export type FindingLevel = (typeof FINDING_LEVELS)[number];

export interface RepoFinding {
  /** Stable. */
  readonly code: string;
  readonly level: FindingLevel;
  /** What must hold, in a few words. */
  readonly about: string;
  /** What was found, or why nobody can say. */
  readonly found: string;
  /** Where to change it and to what; empty of what is fine. */
  readonly change: string;
}
