import { sha256Hex } from "../kit/digest.ts";
import { parseUnit } from "./unit.ts";

/** Where things stand on the observed refs (DESIGN §4). Paths are `/` separated. */
export const FLEET_RECORD = "fleet.json";
export const BOARD_RECORD = "board.md";
export const HEARTBEATS = "heartbeats.json";

/** Two hex digits of the name's SHA-256, so that no folder of 10,000 nodes becomes one huge tree. */
function shard(node: string): string {
  return sha256Hex(node).slice(0, 2);
}

export function nodeStatePath(node: string): string {
  return `nodes/${shard(node)}/${node}/state.json`;
}

export function nodeReportPath(node: string): string {
  return `nodes/${shard(node)}/${node}/report.json`;
}

/** On `observed-live`. */
export function liveReportPath(node: string): string {
  return `reports/${shard(node)}/${node}.json`;
}

/** Folder of a rollout's event segments, one file a run: `rollouts/role/edge/0123456789ab`. */
export function rolloutFolder(unit: string, digest: string): string {
  const parsed = parseUnit(unit);
  if (parsed === undefined) throw new Error(`${unit} is no unit`);
  return `rollouts/${parsed.kind}/${parsed.name}/${digest.slice(0, 12)}`;
}

export function segmentPath(unit: string, digest: string, runId: string): string {
  return `${rolloutFolder(unit, digest)}/${runId}.jsonl`;
}
