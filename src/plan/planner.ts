import type { DesiredState, Node } from "../desired/desired-state.ts";
import { groupBy } from "../kit/group-by.ts";
import { rolloutId } from "../model/unit.ts";
import { askedOf } from "./asked-nodes.ts";
import type { Cell } from "./cell.ts";
import { downStanding } from "./down-verdict.ts";
import { type DueTarget, dueTarget, leftOut, type TargetFacts } from "./due-targets.ts";
import type { FleetPlan, UnitNext, UnitPlan } from "./fleet-plan.ts";
import { foldRollout } from "./fold-rollout.ts";
import { type Ignores, ignoredDrift } from "./ignored-drift.ts";
import { isOutdated, nextOf, type Standing } from "./next-round.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { proofStanding } from "./proof-standing.ts";
import { damagedLogs, type LogDamage } from "./record-damage.ts";
import { roleUnits } from "./role-units.ts";
import { type Rollout, TERMINAL } from "./rollout.ts";
import { silenceOf } from "./silence.ts";
import { cellsOf } from "./status.ts";
import { StoppedUnits } from "./stopped-units.ts";
import type { Unit } from "./unit.ts";

export interface PlanOptions {
  /** Facts that are gone are made true again: `drift.heal` for a reconcile, always for an apply (DESIGN §3.2). */
  readonly heal: boolean;
  /** Only these nodes may be attempted, and only when their turn has come; left out: all. */
  readonly nodes?: ReadonlySet<string>;
  /** Only these units; left out: all. What stands before them in a run still does. */
  readonly units?: ReadonlySet<string>;
}

/**
 * What a run would do (DESIGN §1, §3.4). Pure; the same state, record and time give the same plan, in whatever order they
 * came; linear in nodes, units and events.
 */
export function planFleet(
  state: DesiredState,
  record: ObservedRecord,
  now: Date,
  options: PlanOptions = { heal: state.fleet.drift.heal },
): FleetPlan {
  const units = roleUnits(state, record);
  const nodes = new Map(state.nodes.map((node) => [node.name, node]));
  const context = {
    state,
    nodes,
    record,
    now,
    options,
    factsOf: nodeFacts(state, record, now),
    rollouts: foldAll(record),
    ignores: ignoredDrift(state.fleet.drift.ignore, now),
    damaged: damagedLogs(record, state.fleet.observedBranch),
  };
  const stopped = new StoppedUnits();
  const plans = units.map((unit) => narrowed(stopped.inOrder(planUnit(unit, context))));
  const asked = options.units;
  return {
    generation: state.fleet.generation,
    ownerless: asked === undefined ? ownerless(units, context.rollouts) : [],
    units: asked === undefined ? plans : plans.filter(({ unit }) => asked.has(unit.id)),
  };
}

type NodeFacts = Omit<TargetFacts, "proof">;

interface Context {
  readonly state: DesiredState;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly record: ObservedRecord;
  readonly now: Date;
  readonly options: PlanOptions;
  readonly factsOf: ReadonlyMap<string, NodeFacts>;
  readonly rollouts: ReadonlyMap<string, readonly Rollout[]>;
  readonly ignores: Ignores;
  /** By rollout id. */
  readonly damaged: ReadonlyMap<string, LogDamage>;
}

function planUnit(unit: Unit, context: Context): UnitPlan {
  const { options } = context;
  const own = context.rollouts.get(unit.id) ?? [];
  const id = rolloutId(unit.id, unit.digest);
  const rollout = own.find((one) => one.id === id) ?? null;
  const damage = context.damaged.get(id) ?? null;
  const cells = cellsOf(unit, { ...statusContext(context, rollout), damage });
  const standing: Standing = {
    unit,
    cells,
    rollout,
    due: dueOf(unit, cells, context),
    leftOut: cells.flatMap((cell) => leftOut(cell) ?? []),
  };
  const next = heldBy(damage, nextOf(standing), rollout);
  const asked = options.nodes === undefined ? null : askedOf(next, options.nodes, standing);
  return {
    unit,
    cells,
    rollout,
    next,
    asked,
    supersedes: unit.enforced ? endedBy(standing, own).filter((one) => damage === null || one.id !== id) : [],
  };
}

/** Nothing is done by a log that may lack the very line that stopped it. */
function heldBy(damage: LogDamage | null, next: UnitNext, rollout: Rollout | null): UnitNext {
  if (damage === null || (next.kind !== "start" && next.kind !== "continue" && next.kind !== "stopped")) return next;
  return { kind: "stopped", state: rollout?.state ?? "paused", ...damage };
}

function statusContext({ state, nodes, record, now, options, ignores }: Context, rollout: Rollout | null) {
  const { generation, rollout: policy } = state.fleet;
  return { nodes, record, ignores, rollout, now, staleMs: policy.heartbeatStaleMs, heal: options.heal, generation };
}

function dueOf(unit: Unit, cells: readonly Cell[], context: Context): readonly DueTarget[] {
  const { nodes, factsOf, options } = context;
  return unit.targets.flatMap((target, index) => {
    const cell = cells[index];
    const node = nodes.get(target.node);
    const facts = factsOf.get(target.node);
    if (cell === undefined || node === undefined || facts === undefined)
      throw new Error(`${target.node} is a target of ${unit.id} and no node`);
    const { kind: proof } = proofStanding(unit.id, target.digest, node, context);
    // What somebody else's node lost is not healed because one node was asked for.
    const heal = options.heal && (options.nodes?.has(target.node) ?? true);
    return dueTarget(target, cell, { ...facts, proof }, heal) ?? [];
  });
}

/** A round is not begun, nor gone on with, for nodes of which none may be attempted. */
function narrowed(plan: UnitPlan): UnitPlan {
  const { asked, next } = plan;
  const acts = next.kind === "start" || next.kind === "continue";
  return asked !== null && asked.attempt.length === 0 && acts ? { ...plan, next: { kind: "nothing" } } : plan;
}

/** Of roles that left desired state and that no node has to let go of; what it cannot read it leaves alone. */
function ownerless(units: readonly Unit[], rollouts: ReadonlyMap<string, readonly Rollout[]>): FleetPlan["ownerless"] {
  const known = new Set(units.map(({ id }) => id));
  return [...rollouts]
    .filter(([unit]) => unit.startsWith("role:") && !known.has(unit))
    .flatMap(([, own]) => own.filter(({ state }) => !TERMINAL.has(state)))
    .map(({ id, unit, digest }) => ({ id, unit, digest }));
}

function endedBy(standing: Standing, own: readonly Rollout[]): UnitPlan["supersedes"] {
  const { rollout } = standing;
  const isOver = (one: Rollout): boolean => TERMINAL.has(one.state) || (one === rollout && !isOutdated(standing, one));
  return own.filter((one) => !isOver(one)).map(({ id, state }) => ({ id, state }));
}

/** All rollouts of each unit, by id. A log that lies in the place of another one says nothing. */
function foldAll(record: ObservedRecord): ReadonlyMap<string, readonly Rollout[]> {
  const folded = [...record.rollouts].flatMap(([id, events]) => {
    const rollout = foldRollout(events);
    return rollout?.id === id ? [rollout] : [];
  });
  return groupBy(
    folded.sort((a, b) => (a.id < b.id ? -1 : 1)),
    ({ unit }) => unit,
  );
}

function nodeFacts(state: DesiredState, record: ObservedRecord, now: Date): ReadonlyMap<string, NodeFacts> {
  const { heartbeatStaleMs } = state.fleet.rollout;
  return new Map(state.nodes.map((node) => [node.name, factsOf(node, record, now, heartbeatStaleMs)]));
}

function factsOf(node: Node, record: ObservedRecord, now: Date, staleMs: number): NodeFacts {
  const heartbeat = record.heartbeats.get(node.name);
  const silence = silenceOf(heartbeat, now, staleMs);
  return {
    down: downStanding(node.down, heartbeat, now).standing === "live",
    observedAt: heartbeat?.observed_at ?? null,
    silent: silence !== null && silence.reason !== "never-reported",
  };
}
