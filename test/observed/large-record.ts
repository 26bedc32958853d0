import { sha256Hex } from "../../src/kit/digest.ts";
import type { Marker } from "../../src/model/marker.ts";
import type { Heartbeat } from "../../src/model/node-record.ts";
import { HEARTBEATS, liveReportPath, nodeReportPath, nodeStatePath } from "../../src/model/observed-layout.ts";
import { heartbeatsText, nodeReportText, nodeStateText } from "../../src/plan/record-files.ts";

export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `node-${String(index).padStart(5, "0")}`);
}

/** What a node of a fleet in order has: one proved role of a few resources, and one item that never goes away. */
export function stateText(node: string, at: string): string {
  const machine = sha256Hex(node);
  const made = { removal: null, owned: true };
  const marker: Marker = {
    unit: "role:host",
    digest: roleDigest(node),
    unit_digest: sha256Hex("host"),
    version: 3,
    machine_id: machine,
    at,
    run_id: "20261130T120000Z-000001",
    commit: null,
    verify_exit: 0,
    grade: "transition",
    evidence: "no drift",
    resources: [
      { type: "package", id: "nginx", ...made },
      { type: "file", id: "app.conf", ...made },
      { type: "systemd_unit", id: "app.service", ...made },
    ],
  };
  return nodeStateText({ v: 1, node, machine_id: machine, markers: [marker] });
}

export function reportText(node: string, note = ""): string {
  const item = {
    host: node,
    role: "host",
    resource: { type: "command", id: "command:ping" },
    declared: { run: `ping -c1 gateway ${note}`, idempotent: false },
    observed: { ran: false },
    action_to_apply: { verb: "run", params: {} },
    severity: "warn",
    idempotent: false,
    discovered_at: "2026-11-01T00:00:00Z",
  } as const;
  const digests = { "role:host": roleDigest(node) };
  return nodeReportText({ v: 1, node, machine_id: sha256Hex(node), digests, items: [item] });
}

/** A fleet has a few kinds of nodes, not ten thousand. */
function roleDigest(node: string): string {
  return sha256Hex(`role of ${node.slice(-1)}`);
}

export function liveHeartbeats(nodes: readonly string[], at: Date): string {
  const each = (index: number): Heartbeat => {
    const moment = new Date(at.getTime() + index * 7).toISOString();
    const alive = { outcome: "converged", message: "", failing_since: null, recheck: null } as const;
    return { observed_at: moment, attempted_at: moment, ...alive };
  };
  return heartbeatsText(new Map(nodes.map((node, index) => [node, each(index)])));
}

export function observedFiles(nodes: readonly string[]): ReadonlyMap<string, string> {
  const at = "2026-11-30T12:00:00Z";
  return new Map(
    nodes.flatMap((node) => [
      [nodeStatePath(node), stateText(node, at)],
      [nodeReportPath(node), reportText(node)],
    ]),
  );
}

export function liveFiles(nodes: readonly string[], at: Date): ReadonlyMap<string, string> {
  return new Map([
    ...nodes.map((node) => [liveReportPath(node), reportText(node)] as const),
    [HEARTBEATS, liveHeartbeats(nodes, at)],
  ]);
}
