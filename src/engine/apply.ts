import type { DriftReport } from "../model/drift-report.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import { type CheckResult, checkOutcome } from "./check.ts";
import { contentDiffs } from "./content-diffs.ts";
import { convergeNode } from "./converge-node.ts";
import { inParallel } from "./in-parallel.ts";
import type { NodeWork } from "./node-work.ts";
import { observeFleet } from "./observe-fleet.ts";
import { driftReport, type NodeObservation, type ObservedNode } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

interface ApplyOptions {
  readonly dryRun: boolean;
  /** Of a dry run only: also what the content of files would become. */
  readonly diff?: boolean;
}

interface Applied {
  readonly outcome: NodeOutcome;
  readonly reports: readonly DriftReport[];
}

/**
 * The whole loop: all nodes are read before the first is changed, then each is changed and read again. A dry run stops
 * where `check` does. A node that already is as declared costs one round trip; its one observation is both reports.
 */
export async function apply(works: readonly NodeWork[], run: RunContext, options: ApplyOptions): Promise<CheckResult> {
  run.progress.event({ kind: "begin", task: "apply", nodes: works.map((work) => work.node.name) });
  const observations = await observeFleet(works, run);
  const diffs = options.dryRun && options.diff === true ? { diffs: await contentDiffs(observations, run) } : {};
  const applied = await inParallel(observations, run.parallel, (observation) =>
    applyToNode(observation, run, options.dryRun),
  );
  return {
    reports: applied.flatMap((node) => node.reports),
    outcomes: applied.map((node) => node.outcome),
    ...diffs,
  };
}

async function applyToNode(observation: NodeObservation, run: RunContext, dryRun: boolean): Promise<Applied> {
  if (observation.kind === "left") return { outcome: observation.outcome, reports: [] };
  const { observed } = observation;
  const before = driftReport(observed, run.runId, { dryRun, stage: "before" });
  if (dryRun) return finished({ outcome: checkOutcome(observed), reports: [before] }, run);
  const { outcome, after } = await convergeNode(observed, run);
  return finished({ outcome, reports: after === null ? [before] : [before, afterReport(after, run)] }, run);
}

function afterReport(after: ObservedNode, run: RunContext): DriftReport {
  return driftReport(after, run.runId, { dryRun: false, stage: "after" });
}

function finished(applied: Applied, run: RunContext): Applied {
  run.progress.event({ kind: "finished", node: applied.outcome.node, outcome: applied.outcome.outcome });
  return applied;
}
