import { sha256Hex } from "../../src/kit/digest.ts";
import type { Heartbeat } from "../../src/model/node-record.ts";
import { HEARTBEATS, liveReportPath, nodeReportPath, nodeStatePath } from "../../src/model/observed-layout.ts";

export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `node-${String(index).padStart(5, "0")}`);
}

/** What a node of a fleet in order has: one proved role of a few resources, and one item that never goes away. */
export function stateText(node: string, at: string): string {
  const digest = sha256Hex(`role of ${node.slice(-1)}`);
  const resources = ["nginx", "app.conf", "app.service"].map((id) => ({
    type: "file",
    id,
    removal: null,
    owned: true,
  }));
  const proof = { version: 3, machine_id: sha256Hex(node), at, run_id: "20261130T120000Z-000001", commit: null };
  const marker = { unit: "role:host", digest, unit_digest: sha256Hex("host"), ...proof };
  const markers = [{ ...marker, verify_exit: 0, grade: "transition", evidence: "no drift", resources }];
  return `${JSON.stringify({ v: 1, node, machine_id: sha256Hex(node), markers }, null, 2)}\n`;
}

export function reportText(node: string): string {
  const digests = { "role:host": sha256Hex(`role of ${node.slice(-1)}`) };
  const item = {
    host: node,
    role: "host",
    type: "command",
    id: "ping",
    severity: "warn",
    discovered_at: "2026-11-01T00:00:00Z",
  };
  return `${JSON.stringify({ v: 1, node, machine_id: sha256Hex(node), digests, items: [item] }, null, 2)}\n`;
}

export function heartbeatsText(nodes: readonly string[], at: Date): string {
  const each = (index: number): Heartbeat => {
    const moment = new Date(at.getTime() + index * 7).toISOString();
    const alive = { outcome: "converged", message: "", failing_since: null, recheck: null } as const;
    return { observed_at: moment, attempted_at: moment, ...alive };
  };
  return `${JSON.stringify({ v: 1, nodes: Object.fromEntries(nodes.map((node, index) => [node, each(index)])) })}\n`;
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
    [HEARTBEATS, heartbeatsText(nodes, at)],
  ]);
}
