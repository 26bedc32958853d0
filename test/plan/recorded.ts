import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import type { Marker } from "../../src/model/marker.ts";
import type { Heartbeat, NodeReport } from "../../src/model/node-record.ts";
import type { ObservedRecord } from "../../src/plan/observed-record.ts";
import type { RecordedItem } from "../../src/plan/recorded-items.ts";
import type { ObservedFiles } from "../../src/ports.ts";
import { FLEET, textFiles } from "../desired/text-files.ts";

/** A digest of one digit over and over. */
export const digestOf = (digit: string): string => digit.repeat(64);
export const MACHINE = digestOf("a");

export function marker(over: Partial<Marker> = {}): Marker {
  return {
    unit: "role:edge",
    digest: digestOf("1"),
    unit_digest: digestOf("2"),
    version: 3,
    machine_id: MACHINE,
    at: "2026-11-01T10:00:00Z",
    run_id: "run-1",
    commit: "c".repeat(40),
    verify_exit: 0,
    grade: "transition",
    evidence: "3 of 3 resources as declared",
    resources: [],
    ...over,
  };
}

export function item(over: Partial<RecordedItem> = {}): RecordedItem {
  return {
    host: "web-01",
    role: "edge",
    resource: { type: "file", id: "file:/etc/edge" },
    declared: { path: "/etc/edge" },
    observed: null,
    action_to_apply: { verb: "write", params: { reasons: ["missing"] } },
    severity: "drift",
    idempotent: true,
    discovered_at: "2026-11-02T10:00:00Z",
    ...over,
  };
}

export function report(over: Partial<NodeReport> = {}): NodeReport {
  return { v: 1, node: "web-01", machine_id: MACHINE, digests: { "role:edge": digestOf("1") }, items: [], ...over };
}

export function heartbeat(over: Partial<Heartbeat> = {}): Heartbeat {
  return {
    observed_at: "2026-11-30T09:00:00Z",
    attempted_at: "2026-11-30T09:00:00Z",
    outcome: "converged",
    message: "",
    failing_since: null,
    recheck: null,
    ...over,
  };
}

export const NO_RECORD: ObservedRecord = {
  commit: null,
  reconciled: null,
  states: new Map(),
  reports: new Map(),
  heartbeats: new Map(),
  rollouts: new Map(),
  damaged: [],
};

/** Files of a branch, from memory, in the order given. */
export function observedFiles(files: Readonly<Record<string, string>> | ReadonlyMap<string, string>): ObservedFiles {
  const texts = files instanceof Map ? files : new Map(Object.entries(files));
  return { commit: "d".repeat(40), paths: [...texts.keys()], read: (path) => texts.get(path) };
}

/** Node and role files by name, as YAML or as values; a fleet.yaml is there without being named. */
export function stateOf(
  nodes: Readonly<Record<string, object>>,
  roles: Readonly<Record<string, object>>,
  more: Readonly<Record<string, string>> = {},
): DesiredState {
  const files: Record<string, string> = { "roster/fleet.yaml": FLEET, ...more };
  for (const [name, keys] of Object.entries(nodes))
    files[`roster/nodes/${name}.yaml`] = JSON.stringify({ name, class: "server", address: "192.0.2.1", ...keys });
  for (const [role, keys] of Object.entries(roles))
    files[`host-roles/${role}.yaml`] = JSON.stringify({
      role,
      version: "1",
      description: "Test.",
      resources: [],
      ...keys,
    });
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(`not valid: ${JSON.stringify(diagnostics, null, 1)}`);
  return state;
}
