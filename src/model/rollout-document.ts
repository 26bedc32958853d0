import { z } from "zod";
import { GRADES } from "./marker.ts";
import { OUTCOMES, type OutcomeCode } from "./node-outcome.ts";
import { commitId, count, digest, label, moment, words } from "./recorded-scalar.ts";
import { PAUSE_REASONS, SKIP_REASONS, STRATEGY_NAMES, targetSchema, waveReasonsSchema } from "./rollout-event.ts";
import { name, unitId } from "./scalar.ts";

/** upgrade-rollout "Status Enums", and DESIGN §3.4's additions. `partial` comes with groups. */
export const ROLLOUT_STATES = [
  "pending",
  "running",
  "paused",
  "completed",
  "failed",
  "canceled",
  "rolled_back",
  "superseded",
] as const;

export const NODE_STATES = [
  "pending",
  "in_progress",
  "validating",
  "succeeded",
  "failed",
  "rolled_back",
  "skipped",
] as const;

const outcomes = Object.keys(OUTCOMES) as [OutcomeCode, ...OutcomeCode[]];

/**
 * What `rollout get --json` prints (DESIGN §5): the state that folding the event log gives. Text in it came from git, from
 * operators and from nodes, and is not safe for a terminal as it is.
 */
export const rolloutDocumentSchema = z.strictObject({
  /** `role:edge@0123456789ab`. */
  id: words,
  unit: unitId,
  digest,
  /** Whether main asks for this digest; null: main could not be read. */
  current: z.boolean().nullable(),
  round: z.int().min(1),
  state: z.enum(ROLLOUT_STATES),
  reason: z.strictObject({ code: z.enum([...PAUSE_REASONS, "failed", "superseded"]), detail: words }).nullable(),
  generation: z.int().min(1),
  commit: commitId,
  created_by: label,
  created_at: moment,
  strategy: z.enum(STRATEGY_NAMES),
  /** Index of the wave that is at work or next; the number of waves when all are through. */
  wave: count,
  waves: z.array(z.array(name)),
  reasons: waveReasonsSchema,
  /** Waves whose gate is opened by hand. */
  forced: z.array(count),
  accepted_already_true: z.boolean(),
  restart_requested: z.boolean(),
  /** In wave order. */
  nodes: z.array(
    targetSchema.extend({
      wave: count,
      state: z.enum(NODE_STATES),
      attempts: count,
      grade: z.enum(GRADES).nullable(),
      outcome: z.enum(outcomes).nullable(),
      message: words,
      skipped: z.enum(SKIP_REASONS).nullable(),
      at: moment.nullable(),
    }),
  ),
  left_out: z.array(z.strictObject({ node: name, reason: z.enum(SKIP_REASONS), detail: words })),
  escapes: z.array(z.strictObject({ gate: words, reason: words, by: label, at: moment })),
  ignored: z.array(z.strictObject({ seq: z.int().min(1), event: label, why: words })),
  last_seq: z.int().min(1),
  last_at: moment,
});

export type RolloutDocument = z.output<typeof rolloutDocumentSchema>;
