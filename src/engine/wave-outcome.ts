import type { RolloutEventBody } from "../model/rollout-event.ts";
import type { Rollout, RolloutNode } from "../plan/rollout.ts";
import type { WaveState } from "../strategies/contract.ts";
import { strategy } from "../strategies/index.ts";

/** How many nodes a sentence names. */
const NAMED = 3;

/**
 * What follows when a wave is at its end (DESIGN §3.4): the next one, or that the rollout stands still, has failed, or is through.
 * Nothing as long as a node of the wave is still to come. Pure.
 */
export function afterWave(rollout: Rollout): readonly RolloutEventBody[] {
  const { wave, waves, forced } = rollout;
  const states = waves.map((names) => stateOf(names, rollout));
  if (states[wave]?.nodes.some(({ state }) => state === "open") !== false) return [];
  const { gate } = strategy(rollout.strategy);
  if (wave < waves.length - 1) {
    const verdict = gate(
      states.slice(0, wave + 1).map((one, index) => (index < wave && forced.has(index) ? takenAsProved(one) : one)),
      "wave",
    );
    if (verdict.open) return [{ event: "wave-passed", wave, forced: false }];
    if (forced.has(wave)) return [{ event: "wave-passed", wave, forced: true }];
    return [{ event: "paused", reason: "wave-gate", detail: detailOf(rollout, verdict.why) }];
  }
  const verdict = gate(states, "completion");
  if (verdict.open) return [{ event: "wave-passed", wave, forced: false }, { event: "completed" }];
  if (failedOf(rollout).length > 0) return [{ event: "failed", detail: detailOf(rollout, verdict.why) }];
  return [{ event: "paused", reason: "zero-attempted", detail: verdict.why }];
}

/** A gate that was opened by hand stays open: the waves after it answer for themselves. The end still counts what failed. */
function takenAsProved({ nodes }: WaveState): WaveState {
  return { nodes: nodes.map(({ node }) => ({ node, state: "applied" })) };
}

function stateOf(names: readonly string[], { nodes }: Rollout): WaveState {
  return { nodes: names.map((node) => ({ node, state: standingOf(nodes.get(node)) })) };
}

function standingOf(node: RolloutNode | undefined): WaveState["nodes"][number]["state"] {
  switch (node?.state) {
    case "succeeded":
      return "applied";
    case "failed":
    case "rolled_back":
      return "failed";
    case "skipped":
      return node.skipped === "declined" ? "not-for-me" : node.skipped === "claimed" ? "claimed" : "skipped";
    default:
      return "open";
  }
}

function failedOf({ nodes }: Rollout): readonly RolloutNode[] {
  return [...nodes.values()].filter(({ state }) => state === "failed");
}

/** What the gate says, and what the nodes said that keep it shut. */
function detailOf(rollout: Rollout, why: string): string {
  const failed = failedOf(rollout);
  const told = failed.slice(0, NAMED).map(({ node, outcome, message }) => {
    const words = message === "" ? "" : `: ${message}`;
    return `${node} ${outcome ?? "failed"}${words}`;
  });
  const more = failed.length > NAMED ? [`and ${failed.length - NAMED} more`] : [];
  return [why, ...told, ...more].join("; ");
}
