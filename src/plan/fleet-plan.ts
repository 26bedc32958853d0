import type { SkipReason, StrategyName, WaveReasons } from "../model/rollout-event.ts";
import type { Cell } from "./cell.ts";
import type { Rollout, RolloutState } from "./rollout.ts";
import type { Unit } from "./unit.ts";

/**
 * What a run would do (DESIGN §1): a pure function of desired state, the record and the time, that leaves no meaningful
 * choice to whoever carries it out. `reconcile`, `plan`, `board` and the pull request comment all read this.
 */
export interface FleetPlan {
  readonly generation: number;
  /** In the order in which a run takes them. Of a run that was asked for some units only, these. */
  readonly units: readonly UnitPlan[];
  /** Rollouts that are not over and whose unit nobody is asked for any more: a run ends them. */
  readonly ownerless: readonly OwnerlessRollout[];
}

export interface OwnerlessRollout {
  readonly id: string;
  readonly unit: string;
  readonly digest: string;
}

export interface UnitPlan {
  readonly unit: Unit;
  /** One of each target, by node name. */
  readonly cells: readonly Cell[];
  /** The rollout of this digest so far; null: there was none. */
  readonly rollout: Rollout | null;
  readonly next: UnitNext;
  /** Of a run that was asked for some nodes only; null: all that `next` says, wave by wave. */
  readonly asked: AskedNodes | null;
  /**
   * Rollouts of the unit that end before `next` begins: those of other digests that are not over, and the unit's own
   * running one when `next` starts over because its nodes are to be something else by now.
   */
  readonly supersedes: readonly { readonly id: string; readonly state: RolloutState }[];
}

/** What the next run does about a unit. */
export type UnitNext =
  /** Every target is in, or nobody asks for it. */
  | { readonly kind: "nothing" }
  /** It is only observed. */
  | { readonly kind: "observe" }
  /** A new round begins. */
  | {
      readonly kind: "start";
      readonly round: number;
      readonly strategy: StrategyName;
      readonly waves: readonly (readonly string[])[];
      readonly reasons: WaveReasons;
      readonly targets: Rollout["targets"];
      readonly leftOut: readonly { readonly node: string; readonly reason: SkipReason; readonly detail: string }[];
      /** `first`: this digest is new · `changed`: its nodes render it otherwise now · `joined`, `heal`: it is proved elsewhere, one wave. */
      readonly because: "first" | "changed" | "joined" | "heal" | "leaving" | "restarted";
    }
  /** A running one goes on. */
  | { readonly kind: "continue" }
  /** It stands still until somebody says otherwise: paused, failed, canceled, rolled back. */
  | { readonly kind: "stopped"; readonly state: RolloutState; readonly detail: string; readonly hint: string }
  /** Somebody is behind and nobody can be attempted: all declined, all down, all disabled. Never green. */
  | { readonly kind: "nobody"; readonly detail: string }
  /** A unit before it, which shares nodes with it, has stopped. */
  | { readonly kind: "waiting"; readonly on: readonly string[]; readonly nodes: readonly string[] };

/**
 * What a run that was asked for some nodes only (`apply NODE…`) may attempt now. The waves stay those of all candidates, and
 * what is left of them is for the next run.
 */
export interface AskedNodes {
  /** By name: those of the first wave that is not through. Empty: `next` is `nothing`, or whatever keeps the unit back. */
  readonly attempt: readonly string[];
  /** Their turn has not come (exit 2). */
  readonly refused: readonly RefusedNode[];
}

export interface RefusedNode {
  readonly node: string;
  /** Index of its wave; null: it came after the waves were formed, or is down. */
  readonly wave: number | null;
  /** One line: who must come first. */
  readonly why: string;
}
