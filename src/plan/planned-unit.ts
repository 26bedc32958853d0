import type { DesiredState } from "../desired/desired-state.ts";
import { compareText } from "../kit/compare-text.ts";
import { sha256Hex } from "../kit/digest.ts";
import { groupBy } from "../kit/group-by.ts";
import { stableJson } from "../kit/stable-json.ts";
import type { PlanCounts, PlannedGroup, PlannedItem, PlannedUnit } from "../model/plan-document.ts";
import { attemptsOf } from "./attempts.ts";
import { blastRadius, type HealthyByClass, wavesWithRestarts } from "./blast-radius.ts";
import { expectedDuration } from "./expected-duration.ts";
import type { UnitNext, UnitPlan } from "./fleet-plan.ts";

/** What all units of one plan share. */
export interface UnitContext {
  readonly state: DesiredState;
  readonly healthy: HealthyByClass;
  /** By unit: the version that the base has; null: it has none of it. */
  readonly versionBefore: (plan: UnitPlan) => number | null;
  /** By unit, then by node. */
  readonly items: ReadonlyMap<string, ReadonlyMap<string, readonly PlannedItem[]>>;
  readonly nodeDurations: ReadonlyMap<string, number>;
  /** Milliseconds between scheduled runs; null: not known here. */
  readonly scheduleMs: number | null;
  /** Units that the run takes before, with the nodes that they are attempted on. */
  readonly before: readonly { readonly unit: string; readonly nodes: ReadonlySet<string> }[];
}

export function plannedUnit(plan: UnitPlan, context: UnitContext): PlannedUnit {
  const { unit, next, rollout } = plan;
  const attempts = attemptsOf(plan);
  const attempted = new Set(attempts.flat());
  const groups = groupsOf(plan, attempted, context.items.get(unit.id) ?? new Map());
  const waves = wavesWithRestarts(attempts, groups);
  return {
    unit: unit.id,
    kind: unit.kind,
    title: unit.title,
    version: unit.version === null ? null : { from: context.versionBefore(plan), to: unit.version },
    digest: unit.digest,
    risk: unit.risk,
    strategy: next.kind === "start" ? next.strategy : (rollout?.strategy ?? unit.strategy),
    enforced: unit.enforced,
    provable: unit.provable,
    next: nextOf(next, plan),
    waves,
    reasons: reasonsOf(plan),
    targets: unit.targets.map(({ node, class: ofClass, action }) => ({ node, class: ofClass, action })),
    left_out: next.kind === "start" ? [...next.leftOut] : [],
    pending: pendingOf(plan, attempted),
    after: context.before.filter(({ nodes }) => [...attempted].some((node) => nodes.has(node))).map((one) => one.unit),
    blast_radius: blastRadius(waves, groups, context.healthy),
    rollback: { how: `rollcall revert ${unit.id}`, tier: "declared" },
    duration: {
      expected_ms: expectedDuration(attempts, context.nodeDurations.get(unit.id), context.state.fleet.rollout.parallel),
      worst_wait_ms: context.scheduleMs,
    },
    counts: countItems(groups),
    groups,
    supersedes: plan.supersedes.map(({ id, state }) => ({ id, state })),
    escapes: (rollout?.escapes ?? []).map(({ gate, reason, by, at }) => ({ gate, reason, by, at })),
    conflicts: [],
  };
}

export const NO_ITEMS: PlanCounts = { create: 0, change: 0, remove: 0, restart: 0, keep: 0, obstacle: 0 };

/** Each item once for each node. */
function countItems(groups: readonly PlannedGroup[]): PlanCounts {
  const counts = { ...NO_ITEMS };
  for (const { nodes, items } of groups) for (const { kind } of items) counts[kind] += nodes.length;
  return counts;
}

/** Nodes of one class on which the very same is done, the most first. */
function groupsOf(
  { unit }: UnitPlan,
  attempted: ReadonlySet<string>,
  itemsOf: ReadonlyMap<string, readonly PlannedItem[]>,
): PlannedGroup[] {
  const digests = new Map<readonly PlannedItem[], string>();
  const sameOf = (items: readonly PlannedItem[]): string => {
    const known = digests.get(items) ?? sha256Hex(stableJson(items));
    digests.set(items, known);
    return known;
  };
  const targets = unit.targets.filter(({ node }) => attempted.has(node) && itemsOf.has(node));
  const alike = groupBy(targets, (target) => `${sameOf(itemsOf.get(target.node) ?? [])} ${target.class}`);
  const groups = [...alike.values()].flatMap((nodes): PlannedGroup[] => {
    const [first] = nodes;
    const items = itemsOf.get(first?.node ?? "") ?? [];
    if (first === undefined || items.length === 0) return [];
    return [
      { same: sameOf(items), class: first.class, nodes: nodes.map(({ node }) => node).sort(), items: [...items] },
    ];
  });
  return groups.sort((a, b) => b.nodes.length - a.nodes.length || compareText(a.nodes[0] ?? "", b.nodes[0] ?? ""));
}

function pendingOf({ cells }: UnitPlan, attempted: ReadonlySet<string>): PlannedUnit["pending"] {
  return cells.flatMap((cell) => {
    if (cell.state !== "pending" || attempted.has(cell.node)) return [];
    return [{ node: cell.node, reason: cell.reason, detail: cell.detail }];
  });
}

function reasonsOf({ next, rollout }: UnitPlan): PlannedUnit["reasons"] {
  const reasons = next.kind === "start" ? next.reasons : next.kind === "continue" ? rollout?.reasons : undefined;
  return reasons === undefined ? null : { ...reasons, warnings: [...reasons.warnings] };
}

function nextOf(next: UnitNext, { rollout }: UnitPlan): PlannedUnit["next"] {
  const told = {
    kind: next.kind,
    because: null,
    round: rollout?.round ?? null,
    state: rollout?.state ?? null,
    detail: "",
    hint: "",
    waiting_on: [],
  };
  switch (next.kind) {
    case "nothing":
    case "observe":
    case "continue":
      return told;
    case "start":
      return { ...told, because: next.because, round: next.round };
    case "stopped":
      return { ...told, detail: next.detail, hint: next.hint };
    case "nobody":
      return { ...told, detail: next.detail };
    case "waiting":
      return { ...told, waiting_on: [...next.on] };
  }
}
