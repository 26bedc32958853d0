import type { RolloutEvent } from "../model/rollout-event.ts";
import type { Rollout, RolloutNode } from "./rollout.ts";

/** A rollout while it is being folded: one that may be written, so that a fold of 10,000 nodes copies none of them twice. */
export type Draft = {
  -readonly [Key in keyof Rollout]: Rollout[Key];
} & {
  nodes: Map<string, RolloutNode>;
  forced: Set<number>;
  escapes: Rollout["escapes"][number][];
  ignored: Rollout["ignored"][number][];
};

export type Created = Extract<RolloutEvent, { event: "created" }>;

export function draftOf(rollout: Rollout): Draft {
  return {
    ...rollout,
    nodes: new Map(rollout.nodes),
    forced: new Set(rollout.forced),
    escapes: [...rollout.escapes],
    ignored: [...rollout.ignored],
  };
}

/** A round as it begins. What was bypassed or ignored in rounds before stays on the record: it is shown for ever. */
export function newRound(event: Created, id: string, before: Draft | null): Draft {
  const { unit, digest, round, generation, commit, strategy, waves, reasons, targets } = event;
  return {
    ...{ id, unit, digest, round, generation, commit, strategy, waves, reasons, targets },
    state: "pending",
    reason: null,
    createdBy: event.created_by,
    createdAt: event.at,
    leftOut: event.left_out,
    nodes: untouchedNodes(waves),
    wave: 0,
    forced: new Set(),
    acceptedAlreadyTrue: false,
    restartRequested: false,
    escapes: before?.escapes ?? [],
    ignored: before?.ignored ?? [],
    lastSeq: event.seq,
    lastAt: event.at,
  };
}

function untouchedNodes(waves: Rollout["waves"]): Map<string, RolloutNode> {
  const nodes = new Map<string, RolloutNode>();
  for (const [wave, names] of waves.entries()) for (const node of names) nodes.set(node, untouched(node, wave));
  return nodes;
}

/** Written out key by key, here and in `moved`: spreads of ten thousand nodes are most of what a fold costs. */
function untouched(node: string, wave: number): RolloutNode {
  return {
    node,
    state: "pending",
    wave,
    attempts: 0,
    grade: null,
    outcome: null,
    message: "",
    skipped: null,
    at: null,
  };
}

/** Nodes get another turn: the rollout stands at their wave again, and a gate that was forced before holds again. */
export function reopen(draft: Draft, nodes: readonly RolloutNode[], at: string): void {
  for (const node of nodes) {
    draft.nodes.set(node.node, { ...node, state: "pending", skipped: null, at });
    draft.wave = Math.min(draft.wave, node.wave);
    draft.forced.delete(node.wave);
  }
}

/** The wave that is at work or whose gate is shut; the last one when all are through. */
export function standingWave({ wave, waves }: Pick<Rollout, "wave" | "waves">): number {
  return Math.max(0, Math.min(wave, waves.length - 1));
}
