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
  /** Makes it so, or finds it so, and reads it back; or lets go of it. Never throws for what a node does. */
  carryOut(unit: Unit, target: RolloutTarget, run: RunContext): Promise<CarriedOut>;
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
