import type { UnitNext, UnitPlan } from "../plan/fleet-plan.ts";
import type { RolloutState } from "../plan/rollout.ts";

/** How a unit stands when a run has ended. */
export interface ReconciledUnit {
  readonly unit: string;
  readonly title: string;
  /** Rollout id; null: there never was one. */
  readonly rollout: string | null;
  readonly round: number | null;
  readonly state: RolloutState | null;
  /** What the next run would do about it. */
  readonly next: UnitNext["kind"];
  /** One line: why it stands still or waits; may be empty. */
  readonly detail: string;
  /** The command that moves it on; may be empty. */
  readonly hint: string;
  readonly applied: number;
  readonly targets: number;
  readonly escapes: readonly {
    readonly gate: string;
    readonly reason: string;
    readonly by: string;
    readonly at: string;
  }[];
}

export function unitAfter({ unit, rollout, next, cells }: UnitPlan): ReconciledUnit {
  return {
    unit: unit.id,
    title: unit.title,
    rollout: rollout?.id ?? null,
    round: rollout?.round ?? null,
    state: rollout?.state ?? null,
    next: next.kind,
    ...wordsOf(next),
    applied: cells.filter(({ state }) => state === "applied").length,
    targets: cells.length,
    escapes: rollout?.escapes ?? [],
  };
}

/** Nodes of a unit that is begun, due or waiting, whose turn was not or is not over. */
export function unfinishedNodes({
  unit,
  rollout,
  next,
}: UnitPlan): readonly { readonly unit: string; readonly nodes: readonly string[] }[] {
  const nodes = nodesLeft(rollout, next);
  return nodes.length === 0 ? [] : [{ unit: unit.id, nodes }];
}

function nodesLeft(rollout: UnitPlan["rollout"], next: UnitNext): readonly string[] {
  if (next.kind === "start") return next.targets.map(({ node }) => node);
  if (next.kind === "waiting") return next.nodes;
  if (rollout === null || (next.kind !== "continue" && next.kind !== "stopped")) return [];
  return [...rollout.nodes.values()]
    .filter(({ state }) => state !== "succeeded" && state !== "skipped")
    .map(({ node }) => node);
}

function wordsOf(next: UnitNext): { readonly detail: string; readonly hint: string } {
  switch (next.kind) {
    case "stopped":
      return { detail: next.detail, hint: next.hint };
    case "nobody":
      return { detail: next.detail, hint: "rollcall board says who has declined, is down or is disabled" };
    case "waiting":
      return { detail: `after ${next.on.join(", ")}`, hint: "" };
    case "start":
    case "continue":
      return { detail: "the next run goes on", hint: "rollcall reconcile" };
    default:
      return { detail: "", hint: "" };
  }
}
