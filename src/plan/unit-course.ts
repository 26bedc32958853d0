import type { SkipReason } from "../model/rollout-event.ts";
import type { Rollout, RolloutNode } from "./rollout.ts";

/** What became of a rollout's nodes, wave by wave: for who was not there. */
export interface UnitCourse {
  readonly unit: string;
  readonly rollout: string;
  readonly round: number;
  readonly waves: readonly (readonly CourseNode[])[];
  /** One sentence on the first wave's nodes. */
  readonly canary: string;
  /** Why nobody of another class or OS saw it before the others; null: somebody did, or the strategy has no such look. */
  readonly second_look_missing: string | null;
  readonly warnings: readonly string[];
}

export interface CourseNode {
  readonly node: string;
  readonly state: RolloutNode["state"];
  /** Of the last attempt; null: there was none. */
  readonly outcome: RolloutNode["outcome"];
  readonly skipped: SkipReason | null;
}

export function courseOf({ id, unit, round, waves, nodes, reasons, strategy }: Rollout): UnitCourse {
  const { missing, why } = reasons.second_look;
  return {
    unit,
    rollout: id,
    round,
    waves: waves.map((names) =>
      names.map((node) => {
        const { state = "pending", outcome = null, skipped = null } = nodes.get(node) ?? {};
        return { node, state, outcome, skipped };
      }),
    ),
    canary: reasons.canary,
    second_look_missing: missing && strategy !== "safe" ? why : null,
    warnings: reasons.warnings,
  };
}
