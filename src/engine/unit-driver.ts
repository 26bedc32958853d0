import type { DriftReport } from "../model/drift-report.ts";
import type { Marker } from "../model/marker.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { NodeReport } from "../model/node-record.ts";
import type { RolloutTarget } from "../model/rollout-event.ts";
import type { Unit } from "../plan/unit.ts";
import type { RunContext } from "./run-context.ts";

/**
 * How units of one kind are carried out on one node: the only thing that rollouts do not know (DESIGN §1). A new kind of
 * unit is one driver.
 */
export interface UnitDriver {
  /**
   * Looks at all nodes that are to be changed side by side, before the first of them is: what only shows when they are seen
   * together. Changes nothing.
   */
  look(unit: Unit, targets: readonly RolloutTarget[], run: RunContext): Promise<void>;
  /** Makes it so, or finds it so, and reads it back; or lets go of it. Never throws for what a node does. */
  carryOut(unit: Unit, target: RolloutTarget, attempt: Attempt, run: RunContext): Promise<CarriedOut>;
}

/** What a rollout knows of a target that it turns to. */
export interface Attempt {
  /** The commit that is carried out. */
  readonly commit: string | null;
  /** Runs that were at this target in this round and did not end it: what they left there is this round's doing. */
  readonly earlierRuns: ReadonlySet<string>;
}

export interface CarriedOut {
  readonly outcome: NodeOutcome;
  /** The proof; null: nothing was proved. After a release: null too, and `released` is true. */
  readonly marker: Marker | null;
  readonly released: boolean;
  /** What the node answered last, for the record; null: it did not. */
  readonly report: NodeReport | null;
  /** Full reports of this visit, before and after (host-state §4), for people and artifacts. */
  readonly drift: readonly DriftReport[];
}
