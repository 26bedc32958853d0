import type { SkipReason } from "../model/rollout-event.ts";
import type { Candidate } from "../strategies/contract.ts";
import { type Cell, skipReasonOf } from "./cell.ts";
import type { ProofStanding } from "./proof-standing.ts";
import type { Rollout } from "./rollout.ts";
import type { UnitTarget } from "./unit.ts";

/**
 * Why a target is due. `joined`: it never proved the unit · `changed`: it proved something else · `heal`: it proved just
 * this, and the fact is gone, or another machine stands there · `leaving`: it is to let go.
 */
export type DueBecause = "joined" | "changed" | "heal" | "leaving";

export interface DueTarget {
  readonly candidate: Candidate;
  readonly because: DueBecause;
}

export interface LeftOutTarget {
  readonly node: string;
  readonly reason: SkipReason;
  readonly detail: string;
}

/** What is known of a target beside its cell. */
export interface TargetFacts {
  readonly proof: ProofStanding["kind"];
  readonly down: boolean;
  readonly observedAt: string | null;
  readonly silent: boolean;
}

/**
 * A target as a round would take it; undefined when there is nothing to do on it, or nothing may be. Lost proof is healed
 * only where `heal` says so (DESIGN §3.2); a machine that was reinstalled always is.
 */
export function dueTarget(target: UnitTarget, cell: Cell, facts: TargetFacts, heal: boolean): DueTarget | undefined {
  if (cell.state !== "pending" || skipReasonOf(cell) !== null) return undefined;
  if (facts.proof === "lost" && !heal && target.action === "converge") return undefined;
  const { node, action, digest, class: ofClass, os } = target;
  const { down, observedAt, silent } = facts;
  const candidate = { node, action, digest, class: ofClass, os, down, observedAt, silent };
  return { because: becauseOf(target, facts.proof), candidate };
}

function becauseOf({ action }: UnitTarget, proof: ProofStanding["kind"]): DueBecause {
  if (action === "release") return "leaving";
  if (proof === "none") return "joined";
  return proof === "other-digest" ? "changed" : "heal";
}

/** A target that leaves before waves are formed (DESIGN §3.4), with the words that were said of it. */
export function leftOut(cell: Cell): LeftOutTarget | undefined {
  const reason = skipReasonOf(cell);
  return reason === null ? undefined : { node: cell.node, reason, detail: words(cell) };
}

function words(cell: Cell): string {
  if (cell.state === "not-for-me") return `"${cell.reason}" (${cell.by})`;
  if (cell.state === "claimed") return `"${cell.note}" (${cell.by})`;
  return cell.state === "pending" ? cell.detail : "";
}

/** Somebody took the node out of this round by hand; only a new wish for it, or a new start, takes it in again. */
export function isSkippedByHand({ candidate }: DueTarget, rollout: Rollout): boolean {
  if (rollout.nodes.get(candidate.node)?.skipped !== "signal") return false;
  return rollout.targets.some(
    ({ node, action, digest }) => node === candidate.node && action === candidate.action && digest === candidate.digest,
  );
}
