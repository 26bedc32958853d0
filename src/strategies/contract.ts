import type { RolloutTarget, StrategyName, WaveReasons } from "../model/rollout-event.ts";

/** A target as a strategy sees it: facts that were recorded before, never asked for here (DESIGN §3.4). */
export interface Candidate extends RolloutTarget {
  readonly class: string;
  readonly os: string;
  /** A live down verdict: it goes last and is not attempted. */
  readonly down: boolean;
  /** RFC 3339: when it last answered; null: never. */
  readonly observedAt: string | null;
  /** It did not answer the last time, or has been silent for too long. */
  readonly silent: boolean;
}

export interface WavePolicy {
  /** The node that the author wants first; null: the strategy chooses. */
  readonly canary: string | null;
  /** Two nodes in the first wave (rollout-model §4). */
  readonly concurrent: boolean;
}

export interface WaveList {
  /** Names; every candidate in exactly one wave; no wave is empty. */
  readonly waves: readonly (readonly string[])[];
  readonly reasons: WaveReasons;
}

/** What a wave has come to, as status and rollout tell it. */
export interface WaveState {
  readonly nodes: readonly {
    readonly node: string;
    /** `open`: not yet attempted, or at work. `failed` counts every way in which it did not prove the fact. */
    readonly state: "applied" | "not-for-me" | "claimed" | "failed" | "skipped" | "open";
  }[];
}

export type GateVerdict =
  | { readonly open: true }
  /** One line: which node, and what it is. */
  | { readonly open: false; readonly why: string };

/**
 * One way to order a rollout (DESIGN §3.4). Pure: the same candidates and policy give the same waves, in whatever order
 * the candidates stand. A new strategy is one file and one line in `index.ts`.
 */
export interface Strategy {
  readonly name: StrategyName;
  /** One line for the docs. */
  readonly summary: string;
  /** `candidates` is not empty; `seed` is the unit's digest, for strategies that draw. */
  waves(candidates: readonly Candidate[], policy: WavePolicy, seed: string): WaveList;
  /**
   * `wave`: may the wave after these begin? They are all that came before it. `completion`: may the rollout be called
   * completed? They are all there are, and a last wave of nodes that are down is no obstacle then.
   */
  gate(waves: readonly WaveState[], next: "wave" | "completion"): GateVerdict;
}
