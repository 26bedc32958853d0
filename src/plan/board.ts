import type { Board, BoardUnit } from "../model/board.ts";
import type { Cell } from "./cell.ts";
import type { FleetPlan, UnitNext, UnitPlan } from "./fleet-plan.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { type Rollout, TERMINAL } from "./rollout.ts";

/** What the board says beside its units. */
export interface BoardFacts {
  readonly desired: Board["desired"];
  readonly record: ObservedRecord;
}

/** The four states of every unit that some node is asked for (DESIGN §5). */
export function boardOf(plan: FleetPlan, { desired, record }: BoardFacts): Board {
  return {
    generation: plan.generation,
    desired,
    observed: { commit: record.commit, read_at: lastAnswer(record) },
    units: plan.units.filter(({ unit }) => unit.targets.length > 0).map(unitOf),
    damaged: record.damaged.map(({ path, message }) => ({ path, message })),
  };
}

/**
 * 0: every unit is in. 1: some target is pending or claimed, or nothing is applied anywhere: zero is never success (DESIGN §3.4).
 * What is only observed counts for nothing.
 */
export function boardExit(board: Board): 0 | 1 {
  const counted = board.units.filter(({ enforced }) => enforced);
  return counted.length > 0 && counted.every(({ behind }) => !behind) ? 0 : 1;
}

function unitOf({ unit, cells, rollout, next }: UnitPlan): BoardUnit {
  const applied = only(cells, "applied");
  const claimed = only(cells, "claimed");
  const pending = only(cells, "pending");
  const grade = (wanted: string): number => applied.filter((cell) => cell.grade === wanted).length;
  return {
    unit: unit.id,
    kind: unit.kind,
    title: unit.title,
    version: unit.version,
    digest: unit.digest,
    enforced: unit.enforced,
    behind: pending.length > 0 || claimed.length > 0 || applied.length === 0,
    targets: cells.length,
    applied: applied.map(({ node }) => node),
    claimed: claimed.map(({ node }) => node),
    pending: pending.map(({ node, reason, since, detail, hint }) => ({ node, reason, since, detail, hint })),
    not_for_me: only(cells, "not-for-me").map(({ node, reason, by }) => ({ node, reason, by })),
    grades: { transition: grade("transition"), "already-true": grade("already-true") },
    oldest_read: applied.map(({ lastRead }) => lastRead).reduce(earlier, null),
    claims: claimed.map(({ node, note, by, at }) => ({ node, note, by, at })),
    rollout: rollout === null ? null : rolloutOf(rollout),
    next: nextOf(next),
    warnings: warningsOf(next, rollout),
    escapes: (rollout?.escapes ?? []).map(({ gate, reason, by, at }) => ({ gate, reason, by, at })),
    ignored: (rollout?.ignored ?? []).map(({ event, why }) => ({ event, why })),
  };
}

function only<State extends Cell["state"]>(
  cells: readonly Cell[],
  state: State,
): readonly Extract<Cell, { readonly state: State }>[] {
  return cells.filter((cell): cell is Extract<Cell, { readonly state: State }> => cell.state === state);
}

function rolloutOf(rollout: Rollout): BoardUnit["rollout"] {
  const { id, round, strategy, state, reason, wave, waves } = rollout;
  return { id, round, strategy, state, reason, wave, waves: waves.length };
}

function nextOf(next: UnitNext): BoardUnit["next"] {
  const shape = { kind: next.kind, detail: "", hint: "", waiting_on: [] };
  switch (next.kind) {
    case "start":
      return { ...shape, detail: next.because };
    case "stopped":
      return { ...shape, detail: next.detail, hint: next.hint };
    case "nobody":
      return { ...shape, detail: next.detail };
    case "waiting":
      return { ...shape, waiting_on: [...next.on] };
    default:
      return shape;
  }
}

/** Of the waves that are at work or come next; those of a rollout that is over are history. */
function warningsOf(next: UnitNext, rollout: Rollout | null): string[] {
  const standing = rollout !== null && !TERMINAL.has(rollout.state) ? rollout.reasons : null;
  const reasons = next.kind === "start" ? next.reasons : standing;
  if (reasons === null) return [];
  const { missing, why } = reasons.second_look;
  return [...(missing ? [`no second look: ${why}`] : []), ...reasons.warnings];
}

function lastAnswer({ heartbeats }: ObservedRecord): string | null {
  return [...heartbeats.values()].map(({ observed_at }) => observed_at).reduce(later, null);
}

/** Moments may be written in any time zone. */
function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) <= Date.parse(b) ? a : b;
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) <= Date.parse(b) ? b : a;
}
