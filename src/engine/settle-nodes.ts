import { type DriftReport, isConverged } from "../model/drift-report.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { FleetPlan } from "../plan/fleet-plan.ts";
import { unitOfItem } from "../plan/recorded-items.ts";
import type { Stop } from "./brakes.ts";
import { convergeNode } from "./converge-node.ts";
import { inParallel } from "./in-parallel.ts";
import type { Ledger } from "./ledger.ts";
import { nodeReport } from "./node-report.ts";
import type { NodeWork } from "./node-work.ts";
import { observeFleet } from "./observe-fleet.ts";
import { driftReport, type ObservedNode } from "./observe-node.ts";
import { roleMarker } from "./role-marker.ts";
import type { RunContext } from "./run-context.ts";

interface SettleContext {
  readonly ledger: Ledger;
  /** Digests of what is declared, by unit and node. */
  readonly plan: FleetPlan;
  readonly commit: string | null;
  /** Why an earlier part of the run ended: then nothing is begun. */
  readonly stopped: Stop | null;
}

export interface Settled {
  readonly outcomes: readonly NodeOutcome[];
  readonly reports: readonly DriftReport[];
  readonly stopped: Stop | null;
}

/**
 * Whole nodes, each in two round trips: all are read before the first is changed (DESIGN §3.2). What each proved and how it
 * was left goes to the record, in one commit.
 */
export async function settleNodes(
  works: readonly NodeWork[],
  context: SettleContext,
  run: RunContext,
): Promise<Settled> {
  if (context.stopped !== null || works.length === 0) return { outcomes: [], reports: [], stopped: null };
  const { ledger } = context;
  run.progress.event({ kind: "begin", task: "apply", nodes: works.map(({ node }) => node.name) });
  const observations = await observeFleet(works, run);
  let stopped: Stop | null = null;
  const done = await inParallel(observations, run.parallel, async (observation) => {
    if (observation.kind === "left") {
      if (observation.outcome.outcome !== "skipped") ledger.heartbeat(observation.outcome);
      return { outcomes: [observation.outcome], reports: [] };
    }
    const lost = stopped === null ? ((await run.lock?.keep())?.lost ?? null) : null;
    if (lost !== null) stopped = { reason: "lock-lost", by: lost };
    return stopped === null ? settle(observation.observed, context, run) : { outcomes: [], reports: [] };
  });
  const recorded = stopped === null ? await record(ledger) : stopped;
  return {
    outcomes: done.flatMap(({ outcomes }) => outcomes),
    reports: done.flatMap(({ reports }) => reports),
    stopped: recorded,
  };
}

async function record(ledger: Ledger): Promise<Stop | null> {
  const answer = await ledger.flush("chore(apply): what nodes proved");
  if (answer.kind === "lock-lost") return { reason: "lock-lost", by: answer.by };
  if (answer.kind === "failed") {
    const { code, message, hint } = answer;
    return { reason: "unrecorded", code, message, hint };
  }
  await ledger.publish();
  return null;
}

async function settle(
  before: ObservedNode,
  context: SettleContext,
  run: RunContext,
): Promise<Pick<Settled, "outcomes" | "reports">> {
  const { ledger } = context;
  const { outcome, after } = await convergeNode(before, run);
  ledger.heartbeat(outcome);
  if (after !== null) {
    const { only } = after.work;
    const looked = only === null ? null : new Set([...only].map((name) => `role:${name}`));
    ledger.report(outcome.node, nodeReport(after, run.secrets), looked);
    proveRoles(before, after, context, run);
  }
  run.progress.event({ kind: "finished", node: outcome.node, outcome: outcome.outcome });
  const first = driftReport(before, run.runId, { dryRun: false, stage: "before" });
  const last = after === null ? [] : [driftReport(after, run.runId, { dryRun: false, stage: "after" })];
  return { outcomes: [outcome], reports: [first, ...last] };
}

/** Each enforced role of which nothing differs any more; another one of the same node may still. */
function proveRoles(
  before: ObservedNode,
  after: ObservedNode,
  { ledger, plan, commit }: SettleContext,
  run: RunContext,
): void {
  for (const role of after.work.roles) {
    const unit = plan.units.find((one) => one.unit.id === `role:${role.name}`)?.unit;
    const target = unit?.targets.find(({ node }) => node === after.work.node.name);
    if (role.mode === "observe" || unit === undefined || target === undefined) continue;
    if (!isIn(after, unit.id)) continue;
    const grade = isIn(before, unit.id) ? "already-true" : "transition";
    const own = { ...after, work: { ...after.work, roles: [role] } };
    const marker = roleMarker(own, { unit, target, grade, commit, run });
    ledger.prove(target.node, marker.machine_id, marker);
  }
}

function isIn({ entries }: ObservedNode, unit: string): boolean {
  return isConverged(entries.map(({ item }) => item).filter((item) => unitOfItem(item) === unit));
}
