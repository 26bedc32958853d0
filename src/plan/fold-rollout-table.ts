import type { RolloutEvent } from "../model/rollout-event.ts";
import type { RolloutNodeState, RolloutState } from "./rollout.ts";

/** An event's name in the tables: of a signal with what it says. */
export type EventKey = Exclude<RolloutEvent["event"], "signal"> | `signal ${Signalled}`;
type Signalled = Extract<RolloutEvent, { event: "signal" }>["signal"];

export function eventKey(event: RolloutEvent): EventKey {
  return event.event === "signal" ? `signal ${event.signal}` : event.event;
}

type Row<State extends string, To> = Readonly<Partial<Record<State, To>>>;

/** What is true of a run at work: it goes into the log whatever a signal said meanwhile, and moves no state. */
const AT_WORK = { running: "running", paused: "paused", canceled: "canceled" } as const;
const ENDED = {
  completed: "completed",
  failed: "failed",
  canceled: "canceled",
  rolled_back: "rolled_back",
  superseded: "superseded",
} as const;

/**
 * RolloutStatus of upgrade-rollout ("Status Enums") with the additions of DESIGN §3.4, as data: in which states an event is
 * taken, and the state after it. What stands in no row is ignored. Guards, which need more than the state, are in
 * `fold-rollout.ts` and `fold-rollout-signal.ts`.
 */
export const ROLLOUT_TABLE: Readonly<Record<EventKey, Row<RolloutState, RolloutState>>> = {
  // A new round of the same digest. Of failed, canceled and rolled_back ones only after `start-requested`.
  created: {
    completed: "pending",
    superseded: "pending",
    failed: "pending",
    canceled: "pending",
    rolled_back: "pending",
  },
  started: { pending: "running" },
  escape: { pending: "pending", running: "running" },
  paused: { running: "paused" },
  completed: { running: "completed" },
  failed: { running: "failed" },
  "rolled-back": {
    running: "rolled_back",
    paused: "rolled_back",
    completed: "rolled_back",
    failed: "rolled_back",
  },
  superseded: { pending: "superseded", running: "superseded", paused: "superseded" },
  "signal pause": { running: "paused" },
  "signal resume": { paused: "running" },
  "signal cancel": { running: "canceled", paused: "canceled" },
  "signal force": { paused: "running" },
  "signal retry": { paused: "running", failed: "running" },
  "signal skip": { running: "running", paused: "paused", failed: "failed" },
  // Of roles: `rollcall revert` prepares the change, and no strategy waits for an approval.
  "signal rollback": {},
  "signal approve-canary": {},
  "wave-started": { running: "running" },
  "wave-passed": AT_WORK,
  "node-started": AT_WORK,
  "node-succeeded": AT_WORK,
  "node-failed": AT_WORK,
  "node-skipped": AT_WORK,
  "run-ended": AT_WORK,
  "start-requested": ENDED,
};

type NodeEventKey =
  | Extract<EventKey, `node-${string}`>
  | "signal skip"
  | "signal resume"
  | "signal retry"
  | "node-failed not-converged";
type Path = readonly [RolloutNodeState, ...RolloutNodeState[]];

const REOPENED: Row<RolloutNodeState, Path> = { failed: ["pending"], skipped: ["pending"] };

/**
 * NodeUpgradeStatus of upgrade-rollout as data: the states that an event takes a node through, the last one being where it
 * stays. `validating` is only passed: the second observation is the validation, in the same visit. `rolled_back` comes
 * with upgrades. Additions: a node that a dead run left `in_progress` is begun again; one that left the roster is skipped
 * wherever it was; `resume` and `retry` give failed nodes, and those skipped as down, another turn.
 */
export const NODE_TABLE: Readonly<Record<NodeEventKey, Row<RolloutNodeState, Path>>> = {
  "node-started": { pending: ["in_progress"], failed: ["in_progress"], in_progress: ["in_progress"] },
  "node-succeeded": { in_progress: ["validating", "succeeded"] },
  "node-failed": { in_progress: ["failed"] },
  /** It did what it had to, and the second observation says otherwise. */
  "node-failed not-converged": { in_progress: ["validating", "failed"] },
  "node-skipped": { pending: ["skipped"], failed: ["skipped"], in_progress: ["skipped"] },
  "signal skip": { pending: ["skipped"], failed: ["skipped"] },
  "signal resume": REOPENED,
  "signal retry": REOPENED,
};
