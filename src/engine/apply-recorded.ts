import type { DesiredState } from "../desired/desired-state.ts";
import type { DriftReport } from "../model/drift-report.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import { downStanding } from "../plan/down-verdict.ts";
import type { FleetPlan } from "../plan/fleet-plan.ts";
import { type PlanOptions, planFleet } from "../plan/planner.ts";
import type { SecretValues } from "../resources/contract.ts";
import { type HeldUnit, heldUnits, type NodeParts, nodeParts, type RefusedApply, refusedApply } from "./apply-turns.ts";
import type { Stop } from "./brakes.ts";
import type { Ledger } from "./ledger.ts";
import { mergedReports, worstOutcome } from "./node-summary.ts";
import { type NodeWork, nodeWork } from "./node-work.ts";
import { reconcile } from "./reconcile.ts";
import { type RetriedUnit, retryFailed } from "./retry-failed.ts";
import { RoleDriver } from "./role-driver.ts";
import type { RunContext } from "./run-context.ts";
import { settleNodes } from "./settle-nodes.ts";
import type { ReconciledUnit } from "./unit-after.ts";

export interface RecordedApplyRequest {
  readonly state: DesiredState;
  readonly secrets: SecretValues;
  /** Who was asked for. */
  readonly works: readonly NodeWork[];
  /** Names that were written out: a down verdict does not keep these back. */
  readonly named: ReadonlySet<string>;
  /** Of main; null: what nobody has reviewed is applied, past all waves, and the record says what each node proved. */
  readonly commit: string | null;
  readonly actor: string;
  /** Opened under the lock of the same run. */
  readonly ledger: Ledger;
}

export interface RecordedApply {
  readonly kind: "applied";
  readonly reports: readonly DriftReport[];
  /** One of each node that was asked for. */
  readonly outcomes: readonly NodeOutcome[];
  /** Units that were due and are not in on these nodes, and why. */
  readonly held: readonly HeldUnit[];
  readonly units: readonly ReconciledUnit[];
  /** What had failed and was tried again, because an apply is the word for that. */
  readonly retried: readonly RetriedUnit[];
  /** Nodes that were attempted although a down verdict stands, because they were named. */
  readonly despiteVerdict: readonly string[];
  /** Nodes that were left in peace, because a down verdict stands. */
  readonly down: readonly string[];
  /** Why it ended before it was through; null: it was. */
  readonly stopped: Stop | null;
  /** Nodes of which the record does not know what was done. */
  readonly unrecorded: readonly string[];
}

/**
 * `apply` where there is a record (DESIGN §3.4, §5). What is due goes unit by unit through its waves, as in a reconcile and in
 * the same log; what failed before is tried again. Then every node is read whole, and what nobody knew of is mended there, but
 * for units that are held back.
 */
export async function applyRecorded(
  request: RecordedApplyRequest,
  run: RunContext,
): Promise<RecordedApply | RefusedApply> {
  const { ledger, works, secrets, commit, actor } = request;
  const state = withoutNamedVerdicts(request.state, request.named);
  const options = planOptions(state, works);
  const planWith = (wanted: PlanOptions): FleetPlan => planFleet(state, ledger.record, run.clock.now(), wanted);
  const plan = (): FleetPlan => planWith(options);
  let retried: readonly RetriedUnit[] = [];
  if (commit !== null) {
    const { nodes: _nodes, ...everywhere } = options;
    const { units: _units, ...ofAllUnits } = options;
    const asked = { nodes: new Set(works.map(({ node }) => node.name)), units: options.units ?? null };
    retried = retryFailed(planWith(ofAllUnits), asked, ledger);
    const refusal = refusedApply(works, plan(), planWith(everywhere));
    if (refusal !== null) return refusal;
  }
  const driver = new RoleDriver({ state, secrets, record: ledger.record });
  const due = { state, commit: commit ?? "", actor, ledger, driver, budgetMs: null, options, marksReconciled: false };
  const turns = commit === null ? null : await reconcile(due, run);
  const held = commit === null ? [] : heldUnits(works, plan());
  const down = new Set(works.filter(({ node }) => isDown(node.name, state, ledger, run)).map(({ node }) => node.name));
  const parts = nodeParts(works, { plan: plan(), visits: turns?.outcomes ?? [], down, whole: commit === null });
  const settled = await settleNodes(
    parts.flatMap((part) => workOf(part, state, secrets)),
    { ledger, plan: plan(), commit, stopped: turns?.stopped ?? null },
    run,
  );
  return {
    kind: "applied",
    reports: mergedReports(works, [...(turns?.reports ?? []), ...settled.reports], run.runId),
    outcomes: parts.map((part) =>
      worstOutcome(part, { visits: turns?.outcomes ?? [], settled: settled.outcomes, held, down }),
    ),
    held,
    units: turns?.units ?? [],
    retried,
    despiteVerdict: request.state.nodes.flatMap(({ name, down: verdict }) =>
      request.named.has(name) && verdict !== null ? name : [],
    ),
    down: [...down],
    stopped: turns?.stopped ?? settled.stopped,
    unrecorded: ledger.unrecorded(),
  };
}

/** Who is named is attempted, whatever was said of it. */
function withoutNamedVerdicts(state: DesiredState, named: ReadonlySet<string>): DesiredState {
  return { ...state, nodes: state.nodes.map((node) => (named.has(node.name) ? { ...node, down: null } : node)) };
}

/** Lost proof is made true again by an apply (DESIGN §3.2). */
function planOptions(state: DesiredState, works: readonly NodeWork[]): PlanOptions {
  const nodes = new Set(works.map(({ node }) => node.name));
  const only = works[0]?.only ?? null;
  return {
    heal: true,
    ...(nodes.size === state.nodes.length ? {} : { nodes }),
    ...(only === null ? {} : { units: new Set([...only].map((name) => `role:${name}`)) }),
  };
}

function isDown(name: string, state: DesiredState, ledger: Ledger, run: RunContext): boolean {
  const node = state.nodes.find((one) => one.name === name);
  const heartbeat = ledger.record.heartbeats.get(name);
  return downStanding(node?.down ?? null, heartbeat, run.clock.now()).standing === "live";
}

function workOf({ work, only }: NodeParts, state: DesiredState, secrets: SecretValues): readonly NodeWork[] {
  if (only === "nothing") return [];
  return only === "all" ? [work] : [nodeWork(state, work.node, only, secrets)];
}
