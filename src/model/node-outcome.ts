/**
 * What became of one node in one run: values, never exceptions (STYLE: three channels). The codes are stable and closed.
 */
export const OUTCOMES = {
  /** Everything declared was read back. */
  converged: { observed: true, good: true },
  /** `check` found drift. */
  drift: { observed: true, good: false },
  /** An action failed. */
  failed: { observed: true, good: false },
  /** All actions went through and a fact still differs. */
  "not-converged": { observed: true, good: false },
  /** Nothing is done to this node: disabled, retired, or without the roles asked for. */
  skipped: { observed: true, good: true },
  "unsupported-os": { observed: false, good: false },
  /** A node on which the questions cannot be asked or the actions cannot run (a missing program is named). */
  "unsupported-node": { observed: false, good: false },
  /** No answer, connection refused, name not found. */
  unreachable: { observed: false, good: false },
  "host-key-unknown": { observed: false, good: false },
  "host-key-changed": { observed: false, good: false },
  "auth-failed": { observed: false, good: false },
  /** `sudo -n` was refused, apart from the failure of any step. */
  "sudo-refused": { observed: false, good: false },
  /** The connection stood, but the node stopped answering. */
  "timed-out": { observed: false, good: false },
  /** The link was lost before the end mark: never success, never replayed; the next run reads what happened. */
  unknown: { observed: false, good: false },
  /** A newer run took this node over. */
  fenced: { observed: false, good: false },
  /** Another run is still at work on the node and did not stop in time. */
  busy: { observed: false, good: false },
  /** The node is not the machine that the roster says it is, or two nodes are one machine. */
  "identity-mismatch": { observed: false, good: false },
  "duplicate-machine": { observed: false, good: false },
} as const satisfies Record<string, { observed: boolean; good: boolean }>;

export type OutcomeCode = keyof typeof OUTCOMES;

export interface NodeOutcome {
  readonly node: string;
  readonly outcome: OutcomeCode;
  /** One line: what happened and what to do next. Empty when there is nothing to add. */
  readonly message: string;
}
