import { unitAfter } from "../../engine/unit-after.ts";
import type { UnitPlan } from "../../plan/fleet-plan.ts";
import { foldRollout } from "../../plan/fold-rollout.ts";
import type { ObservedRecord } from "../../plan/observed-record.ts";
import type { Rollout } from "../../plan/rollout.ts";
import { waitsFor, waysOn } from "../../plan/rollout-ways.ts";
import type { RolloutIssueView } from "../../render/merge-issues.ts";
import type { MergeRow } from "../../render/merge-summary.ts";

/** A unit as a plan has it, for the summary. */
export function mergeRow(plan: UnitPlan): MergeRow {
  const { unit, state, next, applied, targets, detail, hint, escapes } = unitAfter(plan);
  const rollout = plan.rollout;
  const standing = rollout === null ? { wave: null, waves: 0, failed: [] } : standingOf(rollout);
  return { unit, state, next, applied, targets, detail, hint, escapes, ...standing };
}

function standingOf(rollout: Rollout): Pick<MergeRow, "wave" | "waves" | "failed"> {
  const { nodes, wave, waves } = rollout;
  const failed = [...nodes.values()].filter(({ state }) => state === "failed");
  return {
    wave: Math.min(wave + 1, waves.length),
    waves: waves.length,
    failed: failed.map(({ node, outcome, message }) => ({ node, outcome: outcome ?? "failed", message })),
  };
}

/** What the tracking issue of a rollout says; null: the record knows of no such rollout. */
export function rolloutView(record: ObservedRecord, id: string, run: string | null): RolloutIssueView | null {
  const rollout = foldRollout(record.rollouts.get(id) ?? []);
  if (rollout === null) return null;
  const { unit, round, generation, commit, createdBy, createdAt, state, nodes, waves, escapes, wave } = rollout;
  const applied = [...nodes.values()].filter((node) => node.state === "succeeded").length;
  return {
    ...{ id, unit, round, generation, commit, state, escapes, applied, run },
    ...standingOf(rollout),
    wave: wave + 1,
    next: "continue",
    targets: nodes.size,
    detail: "",
    hint: "",
    startedBy: createdBy,
    startedAt: createdAt,
    waitsFor: waitsFor(rollout),
    ways: waysOn(rollout),
    wavesOf: waves,
  };
}

/** Nothing more will happen to it. */
export function isOver(state: string | null): boolean {
  return state === "completed" || state === "superseded";
}
