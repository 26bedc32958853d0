import type { Node } from "../desired/desired-state.ts";
import type { Cell } from "./cell.ts";
import { downStanding } from "./down-verdict.ts";
import type { Ignores } from "./ignored-drift.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { pendingCause } from "./pending-cause.ts";
import { comparedItems, type ProofStanding, proofStanding } from "./proof-standing.ts";
import { isStateDamaged, type LogDamage } from "./record-damage.ts";
import type { Rollout } from "./rollout.ts";
import type { Unit, UnitTarget } from "./unit.ts";

/** What the states of a unit's targets follow from, beside the unit itself. */
export interface StatusContext {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly record: ObservedRecord;
  readonly ignores: Ignores;
  /** Of the unit's digest; null: there was none. */
  readonly rollout: Rollout | null;
  /** Of that rollout's log; null: it can be read. */
  readonly damage: LogDamage | null;
  readonly now: Date;
  /** `rollout.heartbeat_stale`, in milliseconds. */
  readonly staleMs: number;
  /** `drift.heal`: a lost proof is due by itself. */
  readonly heal: boolean;
  /** That is current, for the commands in hints. */
  readonly generation: number;
}

/**
 * The state of a unit on each of its targets, in their order (DESIGN §3.3, rollout-model §1). A fact that was read counts
 * before anybody's word: a node that declines a unit which it has proved is `applied` until the fact is lost or asked for
 * otherwise, and `not-for-me` from then on. What has to be let go of is neither declined nor claimed.
 */
export function cellsOf(unit: Unit, context: StatusContext): Cell[] {
  return unit.targets.map((target) => cellOf(unit, target, context));
}

function cellOf(unit: Unit, target: UnitTarget, context: StatusContext): Cell {
  const node = context.nodes.get(target.node);
  if (node === undefined) throw new Error(`${target.node} is a target of ${unit.id} and no node`);
  const of = { node: target.node, unit: unit.id };
  if (target.action === "release") return pendingCell(unit, target, node, { kind: "none" }, context);
  const proof = proofStanding(unit.id, target.digest, node, context);
  if (proof.kind === "valid" && unit.provable) {
    const { grade, at } = proof.marker;
    return { ...of, state: "applied", grade, at, lastRead: proof.lastRead };
  }
  const decline = node.declines.find((one) => one.unit === unit.id);
  if (decline !== undefined) return { ...of, state: "not-for-me", reason: decline.reason, by: decline.by };
  const claim = node.claims.find((one) => one.unit === unit.id);
  if (claim !== undefined) return { ...of, state: "claimed", note: claim.note, by: claim.by, at: claim.at };
  // What was never provable ran and said so itself: that is no more than a claim.
  if (proof.kind === "valid") {
    const { evidence, run_id, at } = proof.marker;
    return { ...of, state: "claimed", note: evidence, by: run_id, at };
  }
  return pendingCell(unit, target, node, proof, context);
}

function pendingCell(
  unit: Unit,
  target: UnitTarget,
  node: Node,
  proof: Exclude<ProofStanding, { kind: "valid" }>,
  context: StatusContext,
): Cell {
  const { record, rollout, damage, now, staleMs, heal, generation } = context;
  const heartbeat = record.heartbeats.get(node.name);
  const down = downStanding(node.down, heartbeat, now);
  const illegible = isStateDamaged(node.name, record);
  const known = {
    unit,
    target,
    node,
    proof,
    heartbeat,
    down,
    rollout,
    damage,
    illegible,
    // Only what is never acted on is told by it.
    compared: unit.enforced ? null : comparedItems(unit.id, target.digest, node, context),
    now,
    staleMs,
    heal,
    generation,
  };
  // Written out, since this is done for every node of every unit and spreading costs more than the rest.
  const { reason, since, detail, hint } = pendingCause(known);
  return { node: node.name, unit: unit.id, state: "pending", reason, since, detail, hint };
}
