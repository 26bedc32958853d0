import type { ContentDiff } from "../model/content-diff.ts";
import { type DriftReport, isConverged } from "../model/drift-report.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import { contentDiffs } from "./content-diffs.ts";
import { recordTrouble } from "./node-verdict.ts";
import type { NodeWork } from "./node-work.ts";
import { observeFleet } from "./observe-fleet.ts";
import { driftReport, type ObservedNode } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

export interface CheckResult {
  readonly reports: readonly DriftReport[];
  readonly outcomes: readonly NodeOutcome[];
  /** Of the content of files that differ, in the order of the reports; only when it was asked for. */
  readonly diffs?: readonly ContentDiff[];
}

/** The loop up to `compare`: what differs, read-only, one round trip a node; one more where content is to be shown. */
export async function check(
  works: readonly NodeWork[],
  run: RunContext,
  options: { readonly diff?: boolean } = {},
): Promise<CheckResult> {
  run.progress.event({ kind: "begin", task: "check", nodes: works.map((work) => work.node.name) });
  const reports: DriftReport[] = [];
  const outcomes: NodeOutcome[] = [];
  const observations = await observeFleet(works, run);
  const diffs = options.diff === true ? { diffs: await contentDiffs(observations, run) } : {};
  for (const observation of observations) {
    if (observation.kind === "left") {
      outcomes.push(observation.outcome);
      continue;
    }
    const outcome = checkOutcome(observation.observed);
    run.progress.event({ kind: "finished", node: outcome.node, outcome: outcome.outcome });
    outcomes.push(outcome);
    reports.push(driftReport(observation.observed, run.runId, { dryRun: true }));
  }
  return { reports, outcomes, ...diffs };
}

export function checkOutcome(observed: ObservedNode): NodeOutcome {
  const items = observed.entries.map((entry) => entry.item);
  return {
    node: observed.work.node.name,
    outcome: isConverged(items) ? "converged" : "drift",
    message: [runInProgress(observed), recordTrouble(observed)].filter((part) => part !== "").join("; "),
  };
}

/** What another run left or is doing: the reader of a check should know that the facts may be half of something. */
function runInProgress(observed: ObservedNode): string {
  const { busy, lastRun } = observed.facts;
  if (busy) return `run ${lastRun?.runId ?? "of another controller"} is changing this node right now`;
  if (lastRun === null || lastRun.ended) return "";
  const done = lastRun.steps.filter((step) => step.state === "done").length;
  return `run ${lastRun.runId} was cut off after ${done} finished ${done === 1 ? "step" : "steps"}; apply again to go on`;
}
