import type { RolloutTarget, StrategyName } from "../model/rollout-event.ts";
import type { UnitKind } from "../model/unit.ts";
import type { WavePolicy } from "../strategies/contract.ts";

/**
 * One unit of change as planner, status, board and rollouts know it, whatever its kind (DESIGN §1). What is particular to a
 * kind is in how it is made from desired state (`role-units.ts`) and how it is carried out (`engine/`).
 */
export interface Unit {
  /** `role:edge`. */
  readonly id: string;
  readonly kind: UnitKind;
  /** One line for people: a role's description, a parcel's title. */
  readonly title: string;
  /** Of a role; null for others. */
  readonly version: number | null;
  /** Unit digest: names the rollout. */
  readonly digest: string;
  /** False: it is only observed (`mode: observe`): never acted on, never counted. */
  readonly enforced: boolean;
  readonly risk: "risky" | "safe";
  readonly strategy: StrategyName;
  readonly policy: WavePolicy;
  /** Only a machine's word counts where it is provable (parcels); roles always are. */
  readonly provable: boolean;
  /** All nodes that should have it, by name, declined and claimed ones too; and those that must let go of it. */
  readonly targets: readonly UnitTarget[];
  /** Units whose failure on a shared node blocks this one there, besides those that merely come earlier. */
  readonly requires: readonly string[];
}

export interface UnitTarget extends RolloutTarget {
  readonly class: string;
  readonly os: string;
}
