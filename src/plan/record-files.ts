import { stableJson } from "../kit/stable-json.ts";
import type { Heartbeat, NodeReport, NodeState, Reconciled } from "../model/node-record.ts";
import type { RolloutEvent } from "../model/rollout-event.ts";
import { recordedItems } from "./recorded-items.ts";

/**
 * Texts of the files on the observed refs (DESIGN §4): equal meaning has equal bytes, so that what did not change makes no
 * commit. All end in a line feed.
 */
export function nodeStateText(state: NodeState): string {
  const markers = [...state.markers].sort((a, b) => (a.unit < b.unit ? -1 : a.unit > b.unit ? 1 : 0));
  return `${stableJson({ ...state, markers }, 1)}\n`;
}

export function nodeReportText(report: NodeReport): string {
  return `${stableJson({ ...report, items: recordedItems(report.items) }, 1)}\n`;
}

/** A line for each node. */
export function heartbeatsText(heartbeats: ReadonlyMap<string, Heartbeat>): string {
  const nodes = [...heartbeats].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = nodes.map(([node, heartbeat]) => `${JSON.stringify(node)}:${stableJson(heartbeat)}`);
  return `{"nodes":{\n${lines.join(",\n")}\n},"v":1}\n`;
}

export function reconciledText(reconciled: Reconciled): string {
  return `${stableJson(reconciled, 1)}\n`;
}

/** Lines of a segment; appending the lines of later events gives the segment with both. */
export function eventLines(events: readonly RolloutEvent[]): string {
  return events.map((event) => `${stableJson(event)}\n`).join("");
}
