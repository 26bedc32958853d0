import type { Grade } from "../model/marker.ts";
import type { OutcomeCode } from "../model/node-outcome.ts";
import type {
  PauseReason,
  RolloutTarget,
  Signal,
  SkipReason,
  StrategyName,
  WaveReasons,
} from "../model/rollout-event.ts";

/** upgrade-rollout "Status Enums", and DESIGN §3.4's additions. `partial` comes with groups. */
export const ROLLOUT_STATES = [
  "pending",
  "running",
  "paused",
  "completed",
  "failed",
  "canceled",
  "rolled_back",
  "superseded",
] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

export const NODE_STATES = [
  "pending",
  "in_progress",
  "validating",
  "succeeded",
  "failed",
  "rolled_back",
  "skipped",
] as const;
export type RolloutNodeState = (typeof NODE_STATES)[number];

/** A rollout as folding its event log gives it: the last round of a unit's digest (DESIGN §3.4). */
export interface Rollout {
  readonly id: string;
  readonly unit: string;
  readonly digest: string;
  readonly round: number;
  readonly state: RolloutState;
  /** Why it is paused, failed or superseded; null otherwise. */
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
