import type { GateVerdict, WaveState } from "./contract.ts";

type NodeState = WaveState["nodes"][number];

/**
 * The wave gate (rollout-model §4): every node of every earlier wave `applied` or `not-for-me`, and at least one `applied` in
 * each. What somebody merely claims never opens it. A skipped node (by hand, gone from the roster, down) proves nothing
 * either way: it does not hold the others back, and it cannot stand for them, so that a wave of such nodes alone stays shut.
 */
export function everyWaveProved(waves: readonly WaveState[]): GateVerdict {
  for (const [index, { nodes }] of waves.entries()) {
    const obstacle = nodes.find(isObstacle);
    if (obstacle !== undefined) return shut(`wave ${index + 1}: ${told(obstacle)}`);
    if (!nodes.some(isApplied)) return shut(`wave ${index + 1}: nobody applied it; ${toldAll(nodes)}`);
  }
  return { open: true };
}

/** Nobody failed or is still to come, and somebody proved it: zero is never success (DESIGN §3.4). */
export function nobodyLeft(waves: readonly WaveState[]): GateVerdict {
  for (const [index, { nodes }] of waves.entries()) {
    const obstacle = nodes.find(isObstacle);
    if (obstacle !== undefined) return shut(`wave ${index + 1}: ${told(obstacle)}`);
  }
  if (waves.some(({ nodes }) => nodes.some(isApplied))) return { open: true };
  return shut(`nobody applied it; ${toldAll(waves.flatMap(({ nodes }) => nodes))}`);
}

function isApplied({ state }: NodeState): boolean {
  return state === "applied";
}

function isObstacle({ state }: NodeState): boolean {
  return state === "failed" || state === "open" || state === "claimed";
}

function told({ node, state }: NodeState): string {
  return `${node} ${WORDS[state]}`;
}

function toldAll(nodes: readonly NodeState[]): string {
  const few = nodes.slice(0, 3).map(told).join(", ");
  return nodes.length > 3 ? `${few} and ${nodes.length - 3} more` : few || "it has no nodes";
}

const WORDS = {
  applied: "applied it",
  "not-for-me": "declines it",
  claimed: "is only claimed, which nobody's machine read",
  failed: "failed",
  skipped: "was skipped",
  open: "is not through yet",
} as const satisfies Record<NodeState["state"], string>;

function shut(why: string): GateVerdict {
  return { open: false, why };
}
