import type { DesiredState } from "../../src/desired/desired-state.ts";
import { rolesOf } from "../../src/desired/roles-of.ts";
import { sha256Hex } from "../../src/kit/digest.ts";
import type { Marker } from "../../src/model/marker.ts";
import type { NodeReport } from "../../src/model/node-record.ts";
import { roleNodeDigest } from "../../src/plan/node-digest.ts";
import type { ObservedRecord } from "../../src/plan/observed-record.ts";
import { ownedResource } from "../../src/plan/released.ts";

export const COMMIT = "c".repeat(40);
const AT = "2026-11-30T06:00:00.000Z";

export const NOTHING_OBSERVED: ObservedRecord = {
  commit: null,
  reconciled: null,
  states: new Map(),
  reports: new Map(),
  heartbeats: new Map(),
  rollouts: new Map(),
  damaged: [],
};

/** The record after every node proved every enforced role of a state, and an audit that found nothing else. */
export function provedRecord(state: DesiredState, only: (node: string, role: string) => boolean = () => true) {
  const states = new Map();
  const reports = new Map<string, NodeReport>();
  const heartbeats = new Map();
  for (const node of state.nodes) {
    const machine = sha256Hex(node.name);
    const roles = rolesOf(node, state).filter((role) => only(node.name, role.name));
    const markers = roles
      .filter(({ mode }) => mode === "enforce")
      .map(
        (role): Marker => ({
          unit: `role:${role.name}`,
          digest: roleNodeDigest(role, node),
          unit_digest: role.digest,
          version: role.version,
          machine_id: machine,
          at: AT,
          run_id: "run-1",
          commit: COMMIT,
          verify_exit: 0,
          grade: "transition",
          evidence: "",
          resources: role.resources.flatMap((resource) => {
            const owned = ownedResource(resource);
            if (owned === null) return [];
            const { type, id, removal } = owned;
            return [{ type, id, removal, owned: true }];
          }),
        }),
      );
    states.set(node.name, { v: 1, node: node.name, machine_id: machine, markers });
    const digests = Object.fromEntries(roles.map((role) => [`role:${role.name}`, roleNodeDigest(role, node)]));
    reports.set(node.name, { v: 1, node: node.name, machine_id: machine, digests, items: [] });
    heartbeats.set(node.name, {
      observed_at: AT,
      attempted_at: AT,
      outcome: "converged",
      message: "",
      failing_since: null,
      recheck: null,
    });
  }
  const reconciled = { v: 1 as const, generation: state.fleet.generation, commit: COMMIT };
  return { ...NOTHING_OBSERVED, commit: COMMIT, reconciled, states, reports, heartbeats } satisfies ObservedRecord;
}
