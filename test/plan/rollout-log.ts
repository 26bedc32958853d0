import type { NewRolloutEvent, RolloutEvent, RolloutEventBody } from "../../src/model/rollout-event.ts";
import { foldRollout } from "../../src/plan/fold-rollout.ts";
import type { Rollout } from "../../src/plan/rollout.ts";

type Created = Extract<RolloutEventBody, { event: "created" }>;
type Signal = Extract<RolloutEventBody, { event: "signal" }>;

export const UNIT = "role:edge";
export const DIGEST = "ab".repeat(32);

/** A round with these waves, of nodes whose digest is told by nothing. */
export function created(waves: readonly (readonly string[])[], more: Partial<Created> = {}): Created {
  return {
    event: "created",
    unit: UNIT,
    digest: DIGEST,
    round: 1,
    generation: 7,
    commit: "c".repeat(40),
    created_by: "octocat",
    strategy: "waves",
    targets: waves.flat().map((node) => ({ node, action: "converge" as const, digest: "d".repeat(64) })),
    waves: waves.map((names) => [...names]),
    reasons: { canary: "", second_look: { missing: false, why: "" }, warnings: [] },
    left_out: [],
    ...more,
  };
}

export function signal(word: Signal["signal"], more: Partial<Signal> = {}): Signal {
  return { event: "signal", signal: word, nodes: [], reason: "because", accept_already_true: false, ...more };
}

export const begin = (node: string, wave: number): RolloutEventBody => ({ event: "node-started", node, wave });
export const succeed = (node: string): RolloutEventBody => ({ event: "node-succeeded", node, grade: "transition" });
export const fail = (node: string, outcome: "failed" | "not-converged" = "failed"): RolloutEventBody => ({
  event: "node-failed",
  node,
  outcome,
  message: "it broke",
});
export const skip = (node: string, reason: "down" | "left-roster" | "declined" = "down"): RolloutEventBody => ({
  event: "node-skipped",
  node,
  reason,
  detail: "",
});
export const pass = (wave: number): RolloutEventBody => ({ event: "wave-passed", wave, forced: false });
export const STARTED: RolloutEventBody = { event: "started" };
export const paused = (reason: "wave-gate" | "zero-attempted" | "inconclusive" = "wave-gate"): RolloutEventBody => ({
  event: "paused",
  reason,
  detail: "the gate is shut",
});

export function unplaced(body: RolloutEventBody): NewRolloutEvent {
  return { ...body, at: "2026-11-30T10:00:00.000Z", run_id: "run-1", actor: "octocat" };
}

/** The bodies as a log, placed from `first` on. */
export function logOf(bodies: readonly RolloutEventBody[], first = 1): RolloutEvent[] {
  return bodies.map((body, index): RolloutEvent => ({ ...unplaced(body), seq: first + index }));
}

export function folded(...bodies: readonly RolloutEventBody[]): Rollout {
  const rollout = foldRollout(logOf(bodies));
  if (rollout === null) throw new Error("the log begins no rollout");
  return rollout;
}
