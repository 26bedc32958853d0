/** What a run that was asked for less than the whole fleet did not look at; both empty when it looked at everything. */
export interface LeftOut {
  /** Names of nodes. */
  readonly nodes: readonly string[];
  /** Names of roles, of the nodes that were looked at. */
  readonly roles: readonly string[];
}
