import type { Step } from "../../model/node-effect.ts";
import type { EffectFailure, NodeFence } from "../../model/node-facts.ts";

/**
 * A moment of a change on the node: before effect `effect` of step `step`, so that `effect` 0 is before the step is begun
 * and the number of its effects is after the last one, before the step's outcome is written down. `begin`: before the
 * script arrives; `end`: everything is done, the answer is on its way.
 */
export type Boundary = { readonly step: number; readonly effect: number } | "begin" | "end";

/** What becomes of a run whose controller is gone. */
export type Orphan =
  /** It ends before anybody comes again. */
  | "finishes"
  /** It dies with the link, in the middle of what it did. */
  | "dies"
  /** It hangs inside its step, and not even a newer fence gets it out. */
  | "hangs"
  /** It passes this many boundaries before each next contact, and stops when it is fenced. */
  | { readonly boundaries: number };

/** Something that goes wrong, as a value. */
export type Fault = { readonly node: string; readonly on?: CallMatch } & (
  | { readonly fault: ConnectFault }
  | { readonly fault: "link-lost" | "controller-killed"; readonly at: Boundary; readonly orphan: Orphan }
  /** Another controller claims the node. */
  | { readonly fault: "taken-over"; readonly at: Boundary; readonly by: NodeFence }
  /** The effect fails in place of being done; `done`: it fails after it was done. */
  | {
      readonly fault: "effect-fails";
      readonly step: number;
      readonly effect: number;
      readonly code: EffectFailure;
      readonly detail: string;
      readonly done: boolean;
    }
  /** Milliseconds that connecting and running a program seem to take, against the time-outs of the call. */
  | { readonly fault: "slow"; readonly connectMs: number; readonly programMs: number }
  /** Answers come after this many turns of the event queue: other nodes overtake this one. */
  | { readonly fault: "late"; readonly turns: number }
);

/** Which calls a fault is for; without it, all. */
export interface CallMatch {
  readonly kind: "observe" | "change";
  /** Counted per node and kind from 0; without it, each. */
  readonly nth?: number;
}

export const CONNECT_FAULTS = {
  unreachable: "connection refused; is the node up, and is its address right?",
  "timed-out": "the node stopped answering; look at its load and its network",
  "auth-failed": "the node accepted none of the keys that were offered; is the right key loaded?",
  "host-key-unknown": "the node's host key is not in roster/known_hosts; compare its fingerprint and add it",
  "host-key-changed":
    "the node's host key is not the one in roster/known_hosts; was it reinstalled, or is it another machine?",
  "sudo-refused": "sudo -n was refused; the user needs NOPASSWD",
  "unsupported-node": "a program that the questions need is missing on the node",
} as const;
export type ConnectFault = keyof typeof CONNECT_FAULTS;

/** The controller was killed in the middle of a call: only tests catch this. */
export class ControllerKilled extends Error {
  override readonly name = "ControllerKilled";
}

/** Every moment of a change at which something can break, in order. */
export function boundariesOf(steps: readonly Step[]): Boundary[] {
  const within = steps.flatMap(({ effects }, step) =>
    Array.from({ length: effects.length + 1 }, (_, effect) => ({ step, effect })),
  );
  return ["begin", ...within, "end"];
}

export function sameBoundary(a: Boundary, b: Boundary): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return a.step === b.step && a.effect === b.effect;
}
