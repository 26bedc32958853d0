import type { Grade, Marker } from "../model/marker.ts";
import type { RolloutTarget } from "../model/rollout-event.ts";
import { ownedResource } from "../plan/released.ts";
import type { Unit } from "../plan/unit.ts";
import type { ObservedNode } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

interface Proof {
  readonly unit: Unit;
  readonly target: RolloutTarget;
  readonly grade: Grade;
  readonly commit: string | null;
  readonly run: Pick<RunContext, "runId" | "clock">;
}

/** The proof of a role (DESIGN §3.2, §3.3), from the observation that found nothing of it differing. */
export function roleMarker({ work, facts, finishedAt }: ObservedNode, proof: Proof): Marker {
  const { unit, target, grade, commit, run } = proof;
  const resources = work.roles.flatMap((role) => role.resources);
  const count = resources.length;
  return {
    unit: unit.id,
    // Of what is declared now: a rollout may have begun when the node was to be something else.
    digest: unit.targets.find(({ node }) => node === target.node)?.digest ?? target.digest,
    unit_digest: unit.digest,
    version: unit.version,
    machine_id: facts.identity.machineId,
    at: finishedAt.toISOString(),
    run_id: run.runId,
    commit,
    verify_exit: 0,
    grade,
    evidence: `${count} ${count === 1 ? "resource" : "resources"} read back`,
    resources: resources.flatMap((resource) => {
      const owned = ownedResource(resource);
      if (owned === null) return [];
      const { role, type, id, removal } = owned;
      const isOurs = facts.owned.resources.some((one) => one.role === role && one.type === type && one.id === id);
      return [{ type, id, removal, owned: isOurs }];
    }),
  };
}
