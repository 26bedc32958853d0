import type { PlannedItem } from "../model/plan-document.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import type { Simulator } from "../ports.ts";
import type { Source } from "./role-grounds.ts";

/** What a run would carry out on one node, in its order. */
export interface ExpectedVisit {
  readonly unit: string;
  readonly action: "converge" | "release";
}

export interface PredictionInput {
  readonly head: Source;
  /** States that nodes may be at, the likeliest first; `head` may be among them. */
  readonly sources: readonly Source[];
  readonly record: ObservedRecord;
  readonly simulator: Simulator;
  readonly now: Date;
}

/** By unit: what its visit would find to do. */
export type NodePrediction = ReadonlyMap<string, readonly PlannedItem[]>;
