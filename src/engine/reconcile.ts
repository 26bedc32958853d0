import type { DesiredState } from "../desired/desired-state.ts";
import type { DriftReport } from "../model/drift-report.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { FleetPlan, UnitPlan } from "../plan/fleet-plan.ts";
import { type PlanOptions, planFleet } from "../plan/planner.ts";
import { courseOf, type UnitCourse } from "../plan/unit-course.ts";
import { Brakes, type Stop } from "./brakes.ts";
import type { Ledger } from "./ledger.ts";
import type { RunContext } from "./run-context.ts";
import { type RoundEscape, runRollout, type Visit } from "./run-rollout.ts";
import { endOwnerless, endSuperseded } from "./superseded.ts";
import { type ReconciledUnit, unfinishedNodes, unitAfter } from "./unit-after.ts";
import type { UnitDriver } from "./unit-driver.ts";

/** How often one unit may begin or go on in one run: a late joiner follows at once, and what never settles is left to the next. */
const TURNS = 3;

export interface ReconcileRequest {
  readonly state: DesiredState;
  /** Of main; what is recorded as last reconciled is its generation. */
  readonly commit: string;
  readonly actor: string;
  /** Opened by the same run, under the lock. */
  readonly ledger: Ledger;
  readonly driver: UnitDriver;
  /** Milliseconds; null: as long as it takes. */
  readonly budgetMs: number | null;
  /** What the run is about, and whether lost proofs are healed; left out: all, as `drift.heal` says. */
  readonly options?: PlanOptions;
  /** The merge run sets what is reconciled (DESIGN §3.1); a run over chosen nodes does not. */
  readonly marksReconciled: boolean;
  /** Somebody asked this process to end. */
  readonly interrupted?: () => boolean;
  /** Gates that were bypassed for a unit before this run: said in the log of the round that it begins. */
  readonly escapes?: ReadonlyMap<string, RoundEscape>;
}

export interface ReconcileResult {
  readonly run_id: string;
  readonly generation: number;
  readonly commit: string;
  /** In the order of the run. */
  readonly units: readonly ReconciledUnit[];
  /** Of the rollouts that the run was at work on. */
  readonly courses: readonly UnitCourse[];
  readonly outcomes: readonly (NodeOutcome & { readonly unit: string })[];
  readonly reports: readonly DriftReport[];
  /** Why the run ended before it was through; null: it was. */
  readonly stopped: Stop | null;
  /** Nodes that are due and were not brought to an end, by unit. */
  readonly unfinished: readonly { readonly unit: string; readonly nodes: readonly string[] }[];
  /** Nodes of which the refs do not know what was done: it was, and the next run reads it again. */
  readonly unrecorded: readonly string[];
  /** Why heartbeats and reports could not be published; null: they were. */
  readonly unpublished: { readonly code: string; readonly message: string } | null;
  readonly damaged: FleetDamage;
}

type FleetDamage = Ledger["record"]["damaged"];

/**
 * The merge run (DESIGN §3.4, §5): all that is due, unit by unit, each in its waves, planned anew from the record after each.
 * Resumable: a run that stops anywhere is continued by the next one. Exceptions are bugs and broken adapters.
 */
export async function reconcile(request: ReconcileRequest, run: RunContext): Promise<ReconcileResult> {
  return new Reconciliation(request, run).run();
}

class Reconciliation {
  readonly #request: ReconcileRequest;
  readonly #run: RunContext;
  readonly #brakes: Brakes;
  readonly #visits: Visit[] = [];
  readonly #turns = new Map<string, number>();

  constructor(request: ReconcileRequest, run: RunContext) {
    const { budgetMs, interrupted = () => false } = request;
    this.#request = request;
    this.#run = run;
    const deadline = budgetMs === null ? null : new Date(run.clock.now().getTime() + budgetMs);
    this.#brakes = new Brakes({ clock: run.clock, deadline, lock: run.lock ?? null, interrupted });
  }

  async run(): Promise<ReconcileResult> {
    const { ledger, state, commit, marksReconciled } = this.#request;
    if (marksReconciled) ledger.reconciled({ v: 1, generation: state.fleet.generation, commit });
    const { units, ownerless } = this.#plan();
    for (const plan of units) endSuperseded(plan, ledger);
    endOwnerless(ownerless, ledger);
    if (await this.#record(`chore(reconcile): generation ${state.fleet.generation} begins`)) await this.#units();
    // Once more, with the last board; after a lost lock the record is another run's.
    if (this.#brakes.stop?.reason !== "lock-lost")
      await this.#record(`chore(reconcile): generation ${state.fleet.generation} ends`);
    return this.#result(await ledger.publish());
  }

  async #units(): Promise<void> {
    const { state, commit, actor, driver, ledger, escapes = new Map() } = this.#request;
    const onNode = (visit: Visit): void => void this.#visits.push(visit);
    const context = { state, commit, actor, driver, ledger, escapes, brakes: this.#brakes, run: this.#run, onNode };
    for (let plan = this.#nextUnit(); plan !== undefined; plan = this.#nextUnit()) {
      if (this.#turns.size === 0) this.#begin();
      this.#turns.set(plan.unit.id, (this.#turns.get(plan.unit.id) ?? 0) + 1);
      endSuperseded(plan, ledger);
      await runRollout(plan, context);
      if (this.#brakes.stop !== null) return;
    }
  }

  #nextUnit(): UnitPlan | undefined {
    return this.#plan().units.find(
      ({ unit, next }) =>
        (next.kind === "start" || next.kind === "continue") && (this.#turns.get(unit.id) ?? 0) < TURNS,
    );
  }

  #begin(): void {
    const nodes = this.#plan().units.flatMap(({ next, rollout }) => {
      if (next.kind === "start") return next.targets.map(({ node }) => node);
      return next.kind === "continue" ? (rollout?.targets ?? []).map(({ node }) => node) : [];
    });
    this.#run.progress.event({ kind: "begin", task: "reconcile", nodes });
  }

  #plan(): FleetPlan {
    const { state, ledger, options } = this.#request;
    return planFleet(state, ledger.record, this.#run.clock.now(), options);
  }

  async #record(message: string): Promise<boolean> {
    const answer = await this.#request.ledger.flush(message);
    if (answer.kind === "lock-lost") this.#brakes.pull({ reason: "lock-lost", by: answer.by });
    if (answer.kind === "failed") {
      const { code, message: words, hint } = answer;
      this.#brakes.pull({ reason: "unrecorded", code, message: words, hint });
    }
    return answer.kind === "recorded" || answer.kind === "unchanged";
  }

  #result(published: Awaited<ReturnType<Ledger["publish"]>>): ReconcileResult {
    const { state, commit, ledger } = this.#request;
    const plan = this.#plan();
    return {
      run_id: this.#run.runId,
      generation: state.fleet.generation,
      commit,
      units: plan.units.map(unitAfter),
      courses: plan.units.flatMap(({ unit, rollout }) =>
        rollout !== null && this.#turns.has(unit.id) ? [courseOf(rollout)] : [],
      ),
      outcomes: this.#visits.map(({ unit, outcome }) => ({ unit, ...outcome })),
      reports: this.#visits.flatMap(({ reports }) => reports),
      stopped: this.#brakes.stop,
      unfinished: plan.units.flatMap(unfinishedNodes),
      unrecorded: ledger.unrecorded(),
      unpublished: published.kind === "failed" ? { code: published.code, message: published.message } : null,
      damaged: ledger.record.damaged,
    };
  }
}
