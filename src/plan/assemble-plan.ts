import type { DesiredState, Node } from "../desired/desired-state.ts";
import type { PlanDocument, PlanFinding, PlannedItem, PlannedNode, PlannedUnit } from "../model/plan-document.ts";
import { attemptsOf } from "./attempts.ts";
import { downStanding } from "./down-verdict.ts";
import { nodeDurations } from "./expected-duration.ts";
import type { FleetPlan, UnitPlan } from "./fleet-plan.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { planDecisions } from "./plan-decisions.ts";
import { NO_ITEMS, plannedUnit, type UnitContext } from "./planned-unit.ts";
import { silenceOf } from "./silence.ts";

/** All that a plan is made from; the time is given, and is not in the document. */
export interface PlanSource {
  readonly plan: FleetPlan;
  readonly state: DesiredState;
  readonly record: ObservedRecord;
  readonly now: Date;
  readonly base: PlanDocument["base"];
  /** The state that the base declares; null: there is none, or it cannot be read. */
  readonly baseState: DesiredState | null;
  readonly head: PlanDocument["head"];
  /** By unit, then by node: what the next run is to find. */
  readonly items: ReadonlyMap<string, ReadonlyMap<string, readonly PlannedItem[]>>;
  /** When nodes answered that were asked just now (RFC 3339); null: none was meant to be. */
  readonly asked: ReadonlyMap<string, string> | null;
  readonly blocks: readonly PlanFinding[];
  readonly warnings: readonly PlanFinding[];
  readonly scheduleMs: number | null;
}

/** `plan.v1` of all that is known (DESIGN §6). Pure, linear, and the same bytes for the same source. */
export function assemblePlan(source: PlanSource): PlanDocument {
  const { plan, state, record } = source;
  const shown = plan.units.filter((unit) => isShown(unit, source.baseState));
  const nodes = nodesOf(shown, source);
  const units = unitsOf(shown, source, nodes);
  return {
    plan_version: 1,
    base: source.base,
    head: source.head,
    observed: { commit: record.commit, at: newestAnswer(record) },
    live: source.asked !== null,
    blocks: [...source.blocks],
    warnings: [...source.warnings],
    decisions: planDecisions(units),
    counts: countsOf(units, state),
    worst_risk: worstRisk(units),
    units,
    nodes,
  };
}

/** A plan of what cannot be planned: it says what is in the way. */
export function blockedPlan(
  head: PlanDocument["head"],
  blocks: readonly PlanFinding[],
  warnings: readonly PlanFinding[],
): PlanDocument {
  return {
    plan_version: 1,
    base: null,
    head,
    observed: { commit: null, at: null },
    live: false,
    blocks: [...blocks],
    warnings: [...warnings],
    decisions: [],
    counts: { ...NO_ITEMS, units: 0, nodes: 0, of_nodes: 0 },
    worst_risk: "none",
    units: [],
    nodes: [],
  };
}

/** Of what is only observed, what the change is about: a reader must not think that something is done about it. */
function isShown({ unit, next }: UnitPlan, base: DesiredState | null): boolean {
  if (next.kind === "nothing" || unit.targets.length === 0) return false;
  if (next.kind !== "observe") return true;
  return base !== null && base.roles.get(unit.id.slice("role:".length))?.digest !== unit.digest;
}

function unitsOf(plans: readonly UnitPlan[], source: PlanSource, nodes: readonly PlannedNode[]): PlannedUnit[] {
  const before: { unit: string; nodes: ReadonlySet<string> }[] = [];
  const context: Omit<UnitContext, "before"> = {
    state: source.state,
    healthy: healthyByClass(source, nodes),
    versionBefore: (plan) => versionBefore(plan, source),
    items: source.items,
    nodeDurations: nodeDurations(source.record),
    scheduleMs: source.scheduleMs,
  };
  return plans.map((plan) => {
    const unit = plannedUnit(plan, { ...context, before: [...before] });
    before.push({ unit: unit.unit, nodes: new Set(attemptsOf(plan).flat()) });
    return unit;
  });
}

/** What the base declares; without one, what most of the targets proved, the greater where as many did. */
function versionBefore({ unit, cells }: UnitPlan, { baseState, record }: PlanSource): number | null {
  const declared = baseState?.roles.get(unit.id.slice("role:".length))?.version;
  if (declared !== undefined || baseState !== null) return declared ?? null;
  const votes = new Map<number, number>();
  for (const { node } of cells) {
    const version = record.states.get(node)?.markers.find((marker) => marker.unit === unit.id)?.version;
    if (typeof version === "number") votes.set(version, (votes.get(version) ?? 0) + 1);
  }
  const [most] = [...votes].sort(([a, countA], [b, countB]) => countB - countA || b - a);
  return most?.[0] ?? null;
}

function nodesOf(plans: readonly UnitPlan[], source: PlanSource): PlannedNode[] {
  const concerned = new Set(plans.flatMap(({ unit }) => unit.targets.map(({ node }) => node)));
  return source.state.nodes.filter(({ name }) => concerned.has(name)).map((node) => nodeFacts(node, source));
}

function nodeFacts(node: Node, { record, now, state, asked }: PlanSource): PlannedNode {
  const heartbeat = record.heartbeats.get(node.name);
  const live = downStanding(node.down, heartbeat, now).standing === "live";
  const answeredAt = asked?.get(node.name) ?? null;
  const silence = silenceOf(heartbeat, now, state.fleet.rollout.heartbeatStaleMs);
  const observedAt = heartbeat?.observed_at ?? null;
  return {
    node: node.name,
    class: node.class,
    os: node.os,
    basis: answeredAt !== null ? "live" : observedAt === null ? "never" : "audit",
    observed_at: answeredAt ?? observedAt,
    silent: answeredAt === null && silence !== null && silence.reason !== "never-reported",
    down:
      live && node.down !== null
        ? { reason: node.down.reason, since: node.down.since, recheck: node.down.recheck }
        : null,
  };
}

/** Over the whole fleet, since a class stands on all of its nodes; the concerned ones are known already. */
function healthyByClass(source: PlanSource, nodes: readonly PlannedNode[]): Map<string, Set<string>> {
  const known = new Map(nodes.map((node) => [node.node, node]));
  const healthy = new Map<string, Set<string>>();
  for (const node of source.state.nodes) {
    if (!node.enabled || node.state === "retired") continue;
    const facts = known.get(node.name) ?? nodeFacts(node, source);
    if (facts.down !== null || facts.silent || facts.basis === "never") continue;
    const names = healthy.get(node.class) ?? new Set<string>();
    healthy.set(node.class, names.add(node.name));
  }
  return healthy;
}

function countsOf(units: readonly PlannedUnit[], state: DesiredState): PlanDocument["counts"] {
  const counts = { ...NO_ITEMS };
  for (const unit of units)
    for (const kind of Object.keys(counts) as (keyof typeof counts)[]) counts[kind] += unit.counts[kind];
  const touched = units.filter(({ waves }) => waves.length > 0);
  const nodes = new Set(touched.flatMap(({ waves }) => waves.flatMap((wave) => wave.nodes)));
  const active = state.nodes.filter((node) => node.state === "active" && node.enabled);
  return { ...counts, units: touched.length, nodes: nodes.size, of_nodes: active.length };
}

function worstRisk(units: readonly PlannedUnit[]): PlanDocument["worst_risk"] {
  const risks = units.filter(({ waves }) => waves.length > 0).map(({ risk }) => risk);
  return risks.includes("risky") ? "risky" : risks.length > 0 ? "safe" : "none";
}

/** RFC 3339, the newest over the fleet; null: nobody ever answered. */
function newestAnswer({ heartbeats }: ObservedRecord): string | null {
  let newest: string | null = null;
  for (const { observed_at } of heartbeats.values()) {
    if (observed_at !== null && (newest === null || Date.parse(observed_at) > Date.parse(newest))) newest = observed_at;
  }
  return newest;
}
