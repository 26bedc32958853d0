import type { DesiredState } from "../../src/desired/desired-state.ts";
import type { Marker } from "../../src/model/marker.ts";
import type { NewRolloutEvent, RolloutEvent, RolloutEventBody } from "../../src/model/rollout-event.ts";
import { rolloutId } from "../../src/model/unit.ts";
import type { UnitPlan } from "../../src/plan/fleet-plan.ts";
import { foldRollout } from "../../src/plan/fold-rollout.ts";
import type { ObservedRecord } from "../../src/plan/observed-record.ts";
import { type PlanOptions, planFleet } from "../../src/plan/planner.ts";
import type { Rollout } from "../../src/plan/rollout.ts";
import type { WaveState } from "../../src/strategies/contract.ts";
import { strategy } from "../../src/strategies/index.ts";
import { MACHINE, NO_RECORD } from "./recorded.ts";

export const NOW = new Date("2026-11-30T09:20:00Z");
export const COMMIT = "3f2c9a1".padEnd(40, "0");

export interface RunAs {
  readonly fails?: (unit: string, node: string) => boolean;
  /** Stops after so many nodes, as a killed run does; left out: never. */
  readonly budget?: number;
  readonly options?: PlanOptions;
  readonly at?: string;
}

/** A record that grows by what plans say: the engine's part played by a few lines, so that plans can be tried one after another. */
export class SimulatedFleet {
  record: ObservedRecord = NO_RECORD;
  state: DesiredState;
  /** Every attempt so far, `unit node`. */
  readonly attempts: string[] = [];
  #at = "2026-11-30T09:00:00Z";
  #left = Number.POSITIVE_INFINITY;

  constructor(state: DesiredState) {
    this.state = state;
  }

  plan(options?: PlanOptions) {
    return planFleet(this.state, this.record, NOW, options);
  }

  next(unit: string, options?: PlanOptions) {
    return this.planOf(unit, options).next;
  }

  planOf(unit: string, options?: PlanOptions): UnitPlan {
    const found = this.plan(options).units.find((one) => one.unit.id === unit);
    if (found === undefined) throw new Error(`there is no ${unit}`);
    return found;
  }

  /** One reconcile; units are planned anew when their turn comes, as the engine does. */
  run({ fails = () => false, budget = Number.POSITIVE_INFINITY, options, at = this.#at }: RunAs = {}): void {
    this.#at = at;
    this.#left = budget;
    for (const { unit } of this.plan(options).units) {
      const plan = this.planOf(unit.id, options);
      if (plan.next.kind === "start" || plan.next.kind === "continue") this.#carryOut(plan, fails);
    }
  }

  signal(unit: string, body: Partial<Extract<RolloutEventBody, { event: "signal" }>>): void {
    const { digest } = this.planOf(unit).unit;
    const { signal = "pause", nodes = [], reason = null } = body;
    const whole: RolloutEventBody = { event: "signal", signal, nodes, reason, accept_already_true: false };
    this.#tell(rolloutId(unit, digest), whole);
  }

  tell(unit: string, body: RolloutEventBody): void {
    this.#tell(rolloutId(unit, this.planOf(unit).unit.digest), body);
  }

  rollout(unit: string): Rollout {
    const { rollout } = this.planOf(unit);
    if (rollout === null) throw new Error(`${unit} has no rollout`);
    return rollout;
  }

  #carryOut(plan: UnitPlan, fails: (unit: string, node: string) => boolean): void {
    const { unit, next, supersedes } = plan;
    const id = rolloutId(unit.id, unit.digest);
    for (const one of supersedes) this.#tell(one.id, { event: "superseded", by: id });
    if (next.kind === "start") {
      const { round, strategy: name, waves, reasons, targets, leftOut } = next;
      this.#tell(id, {
        ...{ event: "created", unit: unit.id, digest: unit.digest, round, generation: 42, commit: COMMIT },
        ...{ created_by: "octocat", strategy: name, reasons, left_out: [...leftOut] },
        targets: [...targets],
        waves: waves.map((wave) => [...wave]),
      });
    }
    if (this.#folded(id).state === "pending") this.#tell(id, { event: "started" });
    while (this.#folded(id).state === "running" && this.#wave(id, plan, fails)) {
      // The next wave.
    }
  }

  /** False: the run is over. */
  #wave(id: string, plan: UnitPlan, fails: (unit: string, node: string) => boolean): boolean {
    const { wave, waves } = this.#folded(id);
    const down = new Set(
      plan.cells.flatMap((cell) => (cell.state === "pending" && cell.reason === "down" ? cell.node : [])),
    );
    for (const node of waves[wave] ?? []) {
      if (this.#folded(id).nodes.get(node)?.state !== "pending") continue;
      if (plan.asked !== null && !plan.asked.attempt.includes(node)) continue;
      if (down.has(node)) this.#tell(id, { event: "node-skipped", node, reason: "down", detail: "" });
      else if (this.#left-- <= 0) return false;
      else this.#attempt(id, plan, node, wave, fails(plan.unit.id, node));
    }
    return this.#closeWave(id, wave);
  }

  /** Whether there is another wave to go on with. */
  #closeWave(id: string, wave: number): boolean {
    const rollout = this.#folded(id);
    if ([...rollout.nodes.values()].some((one) => one.wave <= wave && one.state === "pending")) return false;
    const isLast = wave >= rollout.waves.length - 1;
    const waves = rollout.waves.slice(0, wave + 1).filter((_, index) => !rollout.forced.has(index));
    const states = waves.map((nodes) => waveState(nodes, rollout));
    const gate = strategy(rollout.strategy).gate(states, isLast ? "completion" : "wave");
    const forced = rollout.forced.has(wave);
    if (!isLast && (gate.open || forced)) this.#tell(id, { event: "wave-passed", wave, forced: !gate.open });
    else if (!isLast) this.#tell(id, { event: "paused", reason: "wave-gate", detail: gate.open ? "" : gate.why });
    else if (gate.open) this.#tell(id, { event: "completed" });
    else this.#tell(id, { event: "failed", detail: gate.why });
    return !isLast && (gate.open || forced);
  }

  #attempt(id: string, { unit }: UnitPlan, node: string, wave: number, fails: boolean): void {
    this.attempts.push(`${unit.id} ${node}`);
    const target = unit.targets.find((one) => one.node === node);
    if (target === undefined) throw new Error(`${node} is no target of ${unit.id}`);
    this.#tell(id, { event: "node-started", node, wave });
    if (fails) {
      const message = "web.service does not start: exit status 1";
      this.#tell(id, { event: "node-failed", node, outcome: "not-converged", message });
      return;
    }
    const marker: Marker = {
      ...{ unit: unit.id, digest: target.digest, unit_digest: unit.digest, version: unit.version, machine_id: MACHINE },
      ...{
        at: this.#at,
        run_id: "run-1",
        commit: COMMIT,
        verify_exit: 0,
        grade: "transition" as const,
        evidence: "all",
      },
      resources: [],
    };
    this.prove(node, target.action === "release" ? unit.id : marker);
    this.#tell(id, { event: "node-succeeded", node, grade: "transition" });
  }

  /** A marker, or the unit whose marker goes. */
  prove(node: string, marker: Marker | string): void {
    const unit = typeof marker === "string" ? marker : marker.unit;
    const others = (this.record.states.get(node)?.markers ?? []).filter((one) => one.unit !== unit);
    const markers = typeof marker === "string" ? others : [...others, marker];
    const states = new Map(this.record.states).set(node, { v: 1, node, machine_id: MACHINE, markers });
    this.record = { ...this.record, states };
  }

  #folded(id: string): Rollout {
    const rollout = foldRollout(this.record.rollouts.get(id) ?? []);
    if (rollout === null) throw new Error(`${id} was not created`);
    return rollout;
  }

  #tell(id: string, body: RolloutEventBody): void {
    const log = this.record.rollouts.get(id) ?? [];
    const event: NewRolloutEvent = { ...body, at: this.#at, run_id: "run-1", actor: "octocat" };
    const whole = { ...event, seq: log.length + 1 } as RolloutEvent;
    this.record = {
      ...this.record,
      commit: "8".repeat(40),
      rollouts: new Map(this.record.rollouts).set(id, [...log, whole]),
    };
  }
}

const STATES = { succeeded: "applied", skipped: "skipped", failed: "failed" } as const;

function waveState(nodes: readonly string[], rollout: Rollout): WaveState {
  const stateOf = (node: string) => rollout.nodes.get(node)?.state as keyof typeof STATES;
  return { nodes: nodes.map((node) => ({ node, state: STATES[stateOf(node)] ?? "open" })) };
}
