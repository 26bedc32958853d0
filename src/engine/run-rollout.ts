import type { DesiredState } from "../desired/desired-state.ts";
import type { DriftReport } from "../model/drift-report.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { RolloutEventBody, RolloutTarget } from "../model/rollout-event.ts";
import { rolloutId } from "../model/unit.ts";
import type { UnitPlan } from "../plan/fleet-plan.ts";
import { foldRollout } from "../plan/fold-rollout.ts";
import type { Rollout } from "../plan/rollout.ts";
import type { Brakes } from "./brakes.ts";
import { inParallel } from "./in-parallel.ts";
import type { Ledger } from "./ledger.ts";
import type { RunContext } from "./run-context.ts";
import { TargetStandings } from "./target-standing.ts";
import type { CarriedOut, UnitDriver } from "./unit-driver.ts";
import { afterWave } from "./wave-outcome.ts";

/** What a long wave may have done that the refs do not know yet, milliseconds (DESIGN §3.4: signals are read during waits). */
const RECORD_EVERY_MS = 60_000;

/** All that carrying out units takes, beside the unit itself. */
export interface RolloutRun {
  readonly state: DesiredState;
  /** The commit that is carried out. */
  readonly commit: string;
  readonly actor: string;
  readonly driver: UnitDriver;
  readonly ledger: Ledger;
  readonly brakes: Brakes;
  readonly run: RunContext;
  /** By unit. */
  readonly escapes?: ReadonlyMap<string, RoundEscape>;
  /** Told of each node, once it is known what became of it. */
  readonly onNode: (visit: Visit) => void;
}

/** A gate that was bypassed before the round began (DESIGN §2). */
export interface RoundEscape {
  readonly gate: string;
  readonly reason: string;
}

export interface Visit {
  readonly unit: string;
  readonly outcome: NodeOutcome;
  readonly reports: readonly DriftReport[];
}

/**
 * One unit on its way through its waves (DESIGN §3.4), from its first node or from where an earlier run stopped, until it is
 * through, stands still, or the brakes are pulled. Everything that happens is an event; what follows is decided by folding
 * them. The round is recorded before anything is done on a node.
 */
export async function runRollout(plan: UnitPlan, context: RolloutRun): Promise<void> {
  await new RunningRollout(plan, context).run();
}

class RunningRollout {
  readonly #plan: UnitPlan;
  readonly #context: RolloutRun;
  readonly #id: string;
  readonly #targets: TargetStandings;
  /** A push that is on its way. */
  #recording: Promise<boolean> | null = null;
  /** A signal came in while a wave was at work: no further node is begun. */
  #told = false;

  constructor(plan: UnitPlan, context: RolloutRun) {
    this.#plan = plan;
    this.#context = context;
    this.#id = rolloutId(plan.unit.id, plan.unit.digest);
    this.#targets = new TargetStandings(plan, context.state);
  }

  async run(): Promise<void> {
    if (!this.#begin()) return;
    while (await this.#context.brakes.mayGoOn()) {
      const wave = this.#rollout().wave;
      this.#append({ event: "wave-started", wave });
      if (!(await this.#record(`wave ${wave + 1} begins`))) return;
      const rollout = this.#rollout();
      if (rollout.state !== "running") return;
      await this.#runWave(rollout);
      const after = this.#rollout();
      const next = after.state === "running" ? afterWave(after) : [];
      for (const event of next) this.#append(event);
      const { stop } = this.#context.brakes;
      if (next.length === 0 && (stop?.reason === "budget" || stop?.reason === "interrupted"))
        this.#append({ event: "run-ended", reason: stop.reason });
      if (stop?.reason === "lock-lost" || !(await this.#record(`wave ${wave + 1} ends`))) return;
      if (next.length === 0 || this.#rollout().state !== "running") return;
    }
    await this.#endEarly();
  }

  /** False: somebody has stopped it before it began. */
  #begin(): boolean {
    const { next, unit } = this.#plan;
    const { commit, actor, state } = this.#context;
    if (next.kind === "start") {
      const { round, strategy, targets, waves, reasons, leftOut } = next;
      this.#append({
        event: "created",
        unit: unit.id,
        digest: unit.digest,
        round,
        generation: state.fleet.generation,
        commit,
        created_by: actor,
        strategy,
        targets: [...targets],
        waves: waves.map((wave) => [...wave]),
        reasons,
        left_out: [...leftOut],
      });
      const bypass = this.#context.escapes?.get(unit.id);
      if (bypass !== undefined) this.#append({ event: "escape", ...bypass });
    }
    if (this.#rollout().state === "pending") this.#append({ event: "started" });
    return this.#rollout().state === "running";
  }

  async #endEarly(): Promise<void> {
    const { stop } = this.#context.brakes;
    if (stop === null || stop.reason === "lock-lost" || stop.reason === "unrecorded") return;
    this.#append({ event: "run-ended", reason: stop.reason });
    await this.#record(`the run ends (${stop.reason})`);
  }

  async #runWave(rollout: Rollout): Promise<void> {
    const { driver, run } = this.#context;
    const { wave } = rollout;
    const names = rollout.waves[wave] ?? [];
    run.progress.event({ kind: "wave", unit: this.#id, wave, of: rollout.waves.length, nodes: names });
    const targets = names.flatMap((node) => this.#toAttempt(rollout, node) ?? []);
    if (targets.length === 0) return;
    await driver.look(this.#plan.unit, targets, run);
    const earlierRuns = this.#earlierRuns();
    await inParallel(targets, run.parallel, (target) => this.#attempt(target, wave, earlierRuns));
  }

  /** The target, if it is to be turned to now; what is not to be is said in the log. */
  #toAttempt(rollout: Rollout, node: string): RolloutTarget | null {
    const state = rollout.nodes.get(node)?.state;
    if (state === "succeeded" || state === "failed" || state === "skipped") return null;
    const { ledger, run } = this.#context;
    const standing = this.#targets.of(node, ledger.record, run.clock.now());
    switch (standing.kind) {
      case "skip":
        this.#append({ event: "node-skipped", node, reason: standing.reason, detail: standing.detail });
        return null;
      case "proved":
        this.#append({ event: "node-started", node, wave: rollout.wave });
        this.#append({ event: "node-succeeded", node, grade: standing.grade });
        return null;
      case "not-asked":
        return null;
      case "due":
        return standing.target;
    }
  }

  async #attempt(target: RolloutTarget, wave: number, earlierRuns: ReadonlySet<string>): Promise<void> {
    const { brakes, driver, commit, run } = this.#context;
    if (this.#told || !(await brakes.mayGoOn())) return;
    this.#append({ event: "node-started", node: target.node, wave });
    const done = await driver.carryOut(this.#plan.unit, target, { commit, earlierRuns }, run);
    this.#settle(target, done);
    if (run.clock.now().getTime() - this.#context.ledger.flushedAt.getTime() < RECORD_EVERY_MS) return;
    if (await this.#record(`wave ${wave + 1} goes on`)) this.#told ||= this.#rollout().state !== "running";
  }

  #settle({ node }: RolloutTarget, { outcome, marker, released, report, drift }: CarriedOut): void {
    const { ledger, onNode } = this.#context;
    const { unit } = this.#plan;
    if (marker !== null) ledger.prove(node, marker.machine_id, marker);
    if (released) ledger.release(node, unit.id);
    if (report !== null) ledger.report(node, report, new Set([unit.id]));
    ledger.heartbeat(outcome);
    if (marker !== null || released)
      this.#append({ event: "node-succeeded", node, grade: marker?.grade ?? "transition" });
    else this.#append({ event: "node-failed", node, outcome: outcome.outcome, message: outcome.message });
    onNode({ unit: unit.id, outcome, reports: drift });
  }

  #append(event: RolloutEventBody): void {
    const { unit } = this.#plan;
    this.#context.ledger.append(unit.id, unit.digest, event);
  }

  /** One push at a time; false: it was refused, and the brakes are pulled. */
  async #record(what: string): Promise<boolean> {
    while (this.#recording !== null) await this.#recording;
    this.#recording = this.#push(`chore(rollout): ${this.#id}: ${what}`);
    try {
      return await this.#recording;
    } finally {
      this.#recording = null;
    }
  }

  async #push(message: string): Promise<boolean> {
    const { ledger, brakes } = this.#context;
    const answer = await ledger.flush(message);
    if (answer.kind === "lock-lost") brakes.pull({ reason: "lock-lost", by: answer.by });
    if (answer.kind === "failed") {
      const { code, message: words, hint } = answer;
      brakes.pull({ reason: "unrecorded", code, message: words, hint });
    }
    return answer.kind === "recorded" || answer.kind === "unchanged";
  }

  #rollout(): Rollout {
    const rollout = foldRollout(this.#context.ledger.record.rollouts.get(this.#id) ?? []);
    if (rollout === null) throw new Error(`${this.#id} was never created`);
    return rollout;
  }

  /** Runs that were at work on this round before this one. */
  #earlierRuns(): ReadonlySet<string> {
    const events = this.#context.ledger.record.rollouts.get(this.#id) ?? [];
    const begin = events.findLastIndex(({ event }) => event === "created");
    const runs = events.slice(Math.max(0, begin)).flatMap(({ event, run_id }) => (event === "signal" ? [] : [run_id]));
    return new Set(runs.filter((id) => id !== this.#context.run.runId));
  }
}
