import type { StrategyName } from "../model/rollout-event.ts";
import { strategy } from "../strategies/index.ts";
import type { Cell } from "./cell.ts";
import { type DueTarget, isSkippedByHand, type LeftOutTarget } from "./due-targets.ts";
import type { UnitNext } from "./fleet-plan.ts";
import type { Rollout } from "./rollout.ts";
import { wayOn } from "./rollout-cause.ts";
import type { Unit } from "./unit.ts";

/** What the decision about one unit rests on. `cells` are those of its targets. */
export interface Standing {
  readonly unit: Unit;
  readonly cells: readonly Cell[];
  readonly rollout: Rollout | null;
  readonly due: readonly DueTarget[];
  readonly leftOut: readonly LeftOutTarget[];
}

type Start = Extract<UnitNext, { kind: "start" }>;

/** What comes next of a unit, should nothing before it be in its way (DESIGN §3.4). */
export function nextOf(standing: Standing): UnitNext {
  const { unit, rollout } = standing;
  if (!unit.enforced) return { kind: "observe" };
  if (rollout === null) return begun(standing, standing.due);
  switch (rollout.state) {
    case "pending":
    case "running":
      return isOutdated(standing, rollout) ? begun(standing, standing.due) : { kind: "continue" };
    case "completed":
    case "superseded": {
      const again = rollout.restartRequested
        ? standing.due
        : standing.due.filter((one) => !isSkippedByHand(one, rollout));
      return begun(standing, again);
    }
    case "paused":
      return isAbout(standing, rollout) ? stopped(rollout) : settled(standing);
    case "failed":
    case "canceled":
    case "rolled_back":
      if (rollout.restartRequested) return begun(standing, standing.due);
      return isAbout(standing, rollout) ? stopped(rollout) : settled(standing);
  }
}

/**
 * A node that is still to come is to be something else by now than when the waves were formed: the canary did not prove
 * that. The round ends and another one begins, with a canary of its own.
 */
export function isOutdated({ unit }: Standing, rollout: Rollout): boolean {
  if (rollout.state !== "running" && rollout.state !== "pending") return false;
  const wanted = new Map(unit.targets.map((target) => [target.node, target]));
  return rollout.targets.some(({ node, action, digest }) => {
    const target = wanted.get(node);
    if (target === undefined || rollout.nodes.get(node)?.state !== "pending") return false;
    return target.action !== action || target.digest !== digest;
  });
}

/** Whether anybody still waits for a rollout that stands still: it may have been overtaken, by hand or by the roster. */
function isAbout({ cells, due }: Standing, rollout: Rollout): boolean {
  if (due.length > 0) return true;
  return cells.some(({ node, state }) => {
    const own = rollout.nodes.get(node)?.state;
    return state === "pending" && own !== undefined && own !== "succeeded" && own !== "skipped";
  });
}

function begun(standing: Standing, due: readonly DueTarget[]): UnitNext {
  if (due.every(({ candidate }) => candidate.down)) return settled(standing);
  const { unit, rollout, leftOut } = standing;
  const because = becauseOf(due, rollout);
  const name = strategyOf(because, standing);
  const candidates = due.map(({ candidate }) => candidate);
  const { waves, reasons } = strategy(name).waves(candidates, unit.policy, unit.digest);
  const targets = candidates.map(({ node, action, digest }) => ({ node, action, digest }));
  return { kind: "start", round: (rollout?.round ?? 0) + 1, strategy: name, waves, reasons, targets, leftOut, because };
}

function becauseOf(due: readonly DueTarget[], rollout: Rollout | null): Start["because"] {
  const kinds = new Set(due.map(({ because }) => because));
  if (rollout?.restartRequested) return "restarted";
  if (kinds.size === 1 && kinds.has("heal")) return "heal";
  if (kinds.has("leaving") && !kinds.has("changed") && !kinds.has("joined")) return "leaving";
  if (rollout === null) return "first";
  if (rollout.state !== "completed" || kinds.has("changed")) return "changed";
  return kinds.has("leaving") ? "leaving" : "joined";
}

/** What others have proved just so, and still hold, needs no canary (DESIGN §3.4). */
function strategyOf(because: Start["because"], { unit, cells }: Standing): StrategyName {
  const isProved = because === "heal" || (because === "joined" && cells.some(({ state }) => state === "applied"));
  return isProved ? "safe" : unit.strategy;
}

/** Nobody is to be attempted: all is well only where somebody proved it (DESIGN §3.4: zero applied is not success). */
function settled({ unit, cells }: Standing): UnitNext {
  if (unit.targets.length === 0 || cells.some(({ state }) => state === "applied")) return { kind: "nothing" };
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const word = cell.state === "pending" ? cell.reason : cell.state === "claimed" ? "claimed" : "declined";
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const words = [...counts].map(([word, count]) => `${count} ${word}`).sort();
  return { kind: "nobody", detail: `nobody has it and nobody can be attempted: ${words.join(", ")}` };
}

function stopped(rollout: Rollout): UnitNext {
  const { state } = rollout;
  return { kind: "stopped", state, detail: rollout.reason?.detail ?? "", hint: wayOn(rollout) };
}
