import type { FleetPlan, UnitPlan } from "../plan/fleet-plan.ts";
import { signalAnswer } from "../plan/fold-rollout-signal.ts";
import type { Rollout } from "../plan/rollout.ts";
import type { Ledger } from "./ledger.ts";

/** A unit whose rollout stood still, and the nodes that are tried again because somebody asked for them. */
export interface RetriedUnit {
  readonly unit: string;
  readonly nodes: readonly string[];
}

export interface RetryScope {
  /** Who was asked for. */
  readonly nodes: ReadonlySet<string>;
  /** null: all. */
  readonly units: ReadonlySet<string> | null;
}

/**
 * Who applies by hand means what failed to be tried again (DESIGN §3.4): where a rollout has failed, or stands at the gate of a
 * wave, its log gets `retry` of the failed nodes that were asked for. What a person has stopped, and what no attempt can settle,
 * stays as it is. `plan` is of all units, in the order of the run.
 */
export function retryFailed(plan: FleetPlan, scope: RetryScope, ledger: Ledger): readonly RetriedUnit[] {
  const held = new Set<string>();
  return plan.units.flatMap((one) => {
    const { unit, next, rollout } = one;
    if (next.kind !== "stopped" || rollout === null) return [];
    const nodes = toRetry(one, rollout, scope);
    // Behind another unit that stands still it would only wait.
    if (nodes.length === 0 || unit.targets.some(({ node }) => held.has(node))) {
      for (const { node } of unit.targets) held.add(node);
      return [];
    }
    const said = { nodes: [...nodes], reason: "apply", accept_already_true: false };
    ledger.append(unit.id, unit.digest, { event: "signal", signal: "retry", ...said });
    return { unit: unit.id, nodes };
  });
}

function toRetry({ unit, cells }: UnitPlan, rollout: Rollout, { nodes, units }: RetryScope): readonly string[] {
  const mayBe = rollout.state === "failed" || (rollout.state === "paused" && rollout.reason?.code === "wave-gate");
  if (!mayBe || units?.has(unit.id) === false) return [];
  return cells.flatMap(({ node, ...cell }) => {
    if (!nodes.has(node) || cell.state !== "pending" || NOT_ATTEMPTED.has(cell.reason)) return [];
    const wish = { signal: "retry" as const, nodes: [node], acceptAlreadyTrue: false };
    return signalAnswer(rollout, wish).allowed ? node : [];
  });
}

/** Kept back by what the roster says of the node. */
const NOT_ATTEMPTED: ReadonlySet<string> = new Set(["down", "disabled", "unsupported-os"]);
