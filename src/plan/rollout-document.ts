import type { RolloutDocument } from "../model/rollout-document.ts";
import type { Rollout } from "./rollout.ts";

/** The folded state as `rollout get --json` prints it (DESIGN §5). `current`: see the schema. */
export function rolloutDocument(rollout: Rollout, current: boolean | null): RolloutDocument {
  const { id, unit, digest, round, state, reason, generation, commit, strategy, wave, reasons } = rollout;
  const targets = new Map(rollout.targets.map((target) => [target.node, target]));
  return {
    ...{ id, unit, digest, current, round, state, reason, generation, commit },
    created_by: rollout.createdBy,
    created_at: rollout.createdAt,
    ...{ strategy, wave },
    waves: rollout.waves.map((nodes) => [...nodes]),
    reasons: { ...reasons, warnings: [...reasons.warnings] },
    forced: [...rollout.forced].sort((a, b) => a - b),
    accepted_already_true: rollout.acceptedAlreadyTrue,
    restart_requested: rollout.restartRequested,
    nodes: [...rollout.nodes.values()].flatMap((node) => {
      const target = targets.get(node.node);
      return target === undefined ? [] : [{ ...target, ...node }];
    }),
    left_out: rollout.leftOut.map((one) => ({ ...one })),
    escapes: rollout.escapes.map((one) => ({ ...one })),
    ignored: rollout.ignored.map((one) => ({ ...one })),
    last_seq: rollout.lastSeq,
    last_at: rollout.lastAt,
  };
}
