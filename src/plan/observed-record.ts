import type { Heartbeat, NodeReport, NodeState, Reconciled } from "../model/node-record.ts";
import type { RolloutEvent } from "../model/rollout-event.ts";

/** What the observed refs say (DESIGN §4), read and checked. */
export interface ObservedRecord {
  /** Commit of the observed branch; null: it is not there yet. */
  readonly commit: string | null;
  readonly reconciled: Reconciled | null;
  readonly states: ReadonlyMap<string, NodeState>;
  /** The newest report of each node: the live one where there is one, else what `observed` holds. */
  readonly reports: ReadonlyMap<string, NodeReport>;
  readonly heartbeats: ReadonlyMap<string, Heartbeat>;
  /** Event logs by rollout id (`role:edge@0123456789ab`), each in the order of `seq`. */
  readonly rollouts: ReadonlyMap<string, readonly RolloutEvent[]>;
  /** Files that are not what they should be; they count as absent, and are said. */
  readonly damaged: readonly {
    readonly path: string;
    readonly message: string;
    /** A rollcall that knows more than this one wrote it: what is in it must not be written over. */
    readonly newer?: true;
  }[];
}

/** Nothing was ever recorded. */
export const NO_RECORD: ObservedRecord = {
  commit: null,
  reconciled: null,
  states: new Map(),
  reports: new Map(),
  heartbeats: new Map(),
  rollouts: new Map(),
  damaged: [],
};
