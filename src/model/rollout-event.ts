import { z } from "zod";
import { GRADES } from "./marker.ts";
import { OUTCOMES, type OutcomeCode } from "./node-outcome.ts";
import { commitId, count, digest, label, moment, words } from "./recorded-scalar.ts";
import { name, unitId } from "./scalar.ts";

/** What an operator may tell a rollout (DESIGN §2, §3.4). */
export const SIGNALS = ["pause", "resume", "cancel", "force", "skip", "rollback", "retry", "approve-canary"] as const;
export type Signal = (typeof SIGNALS)[number];

export const STRATEGY_NAMES = ["waves", "safe"] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** Why a rollout stands still. */
export const PAUSE_REASONS = ["wave-gate", "signal", "inconclusive", "failure-threshold", "zero-attempted"] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Why a target is not attempted, or was left out before waves were formed. */
export const SKIP_REASONS = [
  "declined",
  "down",
  "left-roster",
  "disabled",
  "unsupported-os",
  "claimed",
  "signal",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const outcomes = Object.keys(OUTCOMES) as [OutcomeCode, ...OutcomeCode[]];

/** What is done on a target: make it so, or let go of what its role left there (DESIGN §3.2, released items). */
export const targetSchema = z.strictObject({
  node: name,
  action: z.enum(["converge", "release"]),
  /** Node digest to be proved; of a release the digest that was proved last. */
  digest,
});
export type RolloutTarget = z.output<typeof targetSchema>;

/** How the waves came to be, for people; strategies write it (DESIGN §3.4: canary choice explained). */
export const waveReasonsSchema = z.strictObject({
  /** One sentence on the first wave's nodes. */
  canary: words,
  /** One sentence on the second look; `missing` is said loudly everywhere. */
  second_look: z.strictObject({ missing: z.boolean(), why: words }),
  /** Further loud lines: `--concurrent` with one candidate. */
  warnings: z.array(words),
});
export type WaveReasons = z.output<typeof waveReasonsSchema>;

const shared = {
  /** Position in the rollout's history over all runs, from 1: given when the event is recorded. */
  seq: z.int().min(1),
  /** By the recorder's clock: for people; never for order. */
  at: moment,
  run_id: label,
  actor: label,
};

/** Every kind of event, without what all share. */
const BODIES = [
  z.strictObject({
    event: z.literal("created"),
    unit: unitId,
    digest,
    /** 1, then one more for each time that new targets of the same digest are taken up, or a terminal one is started anew. */
    round: z.int().min(1),
    generation: z.int().min(1),
    commit: commitId,
    created_by: label,
    strategy: z.enum(STRATEGY_NAMES),
    targets: z.array(targetSchema),
    /** Node names; each target in exactly one wave. Computed once (DESIGN §3.4). */
    waves: z.array(z.array(name).min(1)),
    reasons: waveReasonsSchema,
    left_out: z.array(z.strictObject({ node: name, reason: z.enum(SKIP_REASONS), detail: words })),
  }),
  z.strictObject({ event: z.literal("started") }),
  /** A gate before the rollout was bypassed, by name and for a reason (DESIGN §2, §6): it did more than what was reviewed. */
  z.strictObject({ event: z.literal("escape"), gate: label, reason: words }),
  z.strictObject({ event: z.literal("wave-started"), wave: count }),
  z.strictObject({ event: z.literal("node-started"), node: name, wave: count }),
  z.strictObject({ event: z.literal("node-succeeded"), node: name, grade: z.enum(GRADES) }),
  z.strictObject({ event: z.literal("node-failed"), node: name, outcome: z.enum(outcomes), message: words }),
  z.strictObject({ event: z.literal("node-skipped"), node: name, reason: z.enum(SKIP_REASONS), detail: words }),
  z.strictObject({ event: z.literal("wave-passed"), wave: count, forced: z.boolean() }),
  z.strictObject({ event: z.literal("paused"), reason: z.enum(PAUSE_REASONS), detail: words }),
  z.strictObject({ event: z.literal("completed") }),
  z.strictObject({ event: z.literal("failed"), detail: words }),
  z.strictObject({ event: z.literal("rolled-back") }),
  z.strictObject({ event: z.literal("superseded"), by: words }),
  /** An operator asks for a new round of one that has ended: `rollout start` (DESIGN §3.4). The planner begins it. */
  z.strictObject({ event: z.literal("start-requested"), reason: words.nullable() }),
  /** The run ended and left the rollout running: the next one goes on. */
  z.strictObject({ event: z.literal("run-ended"), reason: z.enum(["budget", "interrupted", "lock-lost"]) }),
  z.strictObject({
    event: z.literal("signal"),
    signal: z.enum(SIGNALS),
    /** Of `skip` and `retry`: of which nodes; empty: of all that it can mean. */
    nodes: z.array(name),
    reason: words.nullable(),
    /** Of `resume`: the fact that was already true counts (DESIGN §3.3). */
    accept_already_true: z.boolean(),
  }),
] as const;

/** One line of a rollout's event log, which is the audit trail (DESIGN §3.4). */
export const rolloutEventSchema = z.discriminatedUnion(
  "event",
  BODIES.map((body) => body.extend(shared)) as unknown as typeof BODIES,
);

type Body = z.output<(typeof BODIES)[number]>;
export type RolloutEventBody = Body;
export type RolloutEvent = Body & {
  readonly seq: number;
  readonly at: string;
  readonly run_id: string;
  readonly actor: string;
};
/** Before it is recorded: its place in the history is not known yet. */
export type NewRolloutEvent = Body & Omit<RolloutEvent, keyof Body | "seq">;
