import { type DriftReport, isConverged } from "../model/drift-report.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { NodeWork } from "./node-work.ts";
import { observeFleet } from "./observe-fleet.ts";
import { driftReport, type ObservedNode } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

export interface CheckResult {
  readonly reports: readonly DriftReport[];
  readonly outcomes: readonly NodeOutcome[];
}

/** The loop up to `compare`: what differs, read-only, one round trip a node. */
export async function check(works: readonly NodeWork[], run: RunContext): Promise<CheckResult> {
  run.progress.event({ kind: "begin", task: "check", nodes: works.map((work) => work.node.name) });
  const reports: DriftReport[] = [];
  const outcomes: NodeOutcome[] = [];
  for (const observation of await observeFleet(works, run)) {
    if (observation.kind === "left") {
      outcomes.push(observation.outcome);
      continue;
    }
    const outcome = checkOutcome(observation.observed);
    run.progress.event({ kind: "finished", node: outcome.node, outcome: outcome.outcome });
    outcomes.push(outcome);
    reports.push(driftReport(observation.observed, run.runId, { dryRun: true }));
  }
  return { reports, outcomes };
}

export function checkOutcome(observed: ObservedNode): NodeOutcome {
  const items = observed.entries.map((entry) => entry.item);
  return {
    node: observed.work.node.name,
    outcome: isConverged(items) ? "converged" : "drift",
    message: runInProgress(observed),
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
