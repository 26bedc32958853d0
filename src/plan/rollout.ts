import type { Grade } from "../model/marker.ts";
import type { OutcomeCode } from "../model/node-outcome.ts";
import type { NODE_STATES, ROLLOUT_STATES } from "../model/rollout-document.ts";
import type {
  PauseReason,
  RolloutTarget,
  Signal,
  SkipReason,
  StrategyName,
  WaveReasons,
} from "../model/rollout-event.ts";

export type RolloutState = (typeof ROLLOUT_STATES)[number];
export type RolloutNodeState = (typeof NODE_STATES)[number];

/** A rollout as folding its event log gives it: the last round of a unit's digest (DESIGN §3.4). */
export interface Rollout {
  readonly id: string;
  readonly unit: string;
  readonly digest: string;
  readonly round: number;
  readonly state: RolloutState;
  /** Why it is paused, failed, canceled or superseded; null otherwise. */
  readonly reason: { readonly code: PauseReason | "failed" | "superseded"; readonly detail: string } | null;
  readonly generation: number;
  readonly commit: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly strategy: StrategyName;
  readonly waves: readonly (readonly string[])[];
  readonly reasons: WaveReasons;
  readonly targets: readonly RolloutTarget[];
  readonly leftOut: readonly { readonly node: string; readonly reason: SkipReason; readonly detail: string }[];
  /** By name, in wave order. */
  readonly nodes: ReadonlyMap<string, RolloutNode>;
  /** Index of the wave that is at work or next; the number of waves when all are through. */
  readonly wave: number;
  /** The gate after this wave is opened by hand. */
  readonly forced: ReadonlySet<number>;
  readonly acceptedAlreadyTrue: boolean;
  /**
   * Somebody said `rollout start` since this round ended: the next run begins a new round (`restarted`) with all that is due,
   * nodes that were skipped by hand in this one among them. Only then does the reducer take `created` after a round that
   * failed, was canceled or rolled back; after completed and superseded ones it always does.
   */
  readonly restartRequested: boolean;
  /** Named, reasoned bypasses, shown for ever: force, skip, accept-already-true. */
  readonly escapes: readonly {
    readonly gate: string;
    readonly reason: string;
    readonly by: string;
    readonly at: string;
  }[];
  /** Events that the reducer would not take in that state: a lost race, or a wrong hand. Shown, never applied. */
  readonly ignored: readonly { readonly seq: number; readonly event: string; readonly why: string }[];
  readonly lastSeq: number;
  readonly lastAt: string;
}

export interface RolloutNode {
  readonly node: string;
  readonly state: RolloutNodeState;
  readonly wave: number;
  /** How often it was begun. */
  readonly attempts: number;
  readonly grade: Grade | null;
  readonly outcome: OutcomeCode | null;
  readonly message: string;
  readonly skipped: SkipReason | null;
  /** Of its last event. */
  readonly at: string | null;
}

export const TERMINAL: ReadonlySet<RolloutState> = new Set([
  "completed",
  "failed",
  "canceled",
  "rolled_back",
  "superseded",
]);

/** What a signal would do to a rollout now, for the command that sends it. */
export type SignalAnswer =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly code: string; readonly message: string; readonly hint: string };

export interface WantedSignal {
  readonly signal: Signal;
  readonly nodes: readonly string[];
  readonly acceptAlreadyTrue: boolean;
}
