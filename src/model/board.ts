import { z } from "zod";
import { commitId, count, digest, label, words } from "./recorded-scalar.ts";
import { STRATEGY_NAMES } from "./rollout-event.ts";
import { moment, name, unitId } from "./scalar.ts";
import { UNIT_KINDS } from "./unit.ts";

/** `commit`, branch or folder that the board takes for what is wanted. */
const desiredSchema = z.strictObject({
  /** `main`: what is merged. `working-tree`: there is no main branch, so nobody can have reviewed it. */
  source: z.enum(["main", "working-tree"]),
  branch: words.nullable(),
  commit: commitId.nullable(),
  /** The working tree holds something else than what the board is about. */
  unmerged: z.boolean(),
});

const rolloutSchema = z.strictObject({
  id: words,
  round: z.int().min(1),
  strategy: z.enum(STRATEGY_NAMES),
  state: label,
  /** Why it is paused or over; null otherwise. */
  reason: z.strictObject({ code: label, detail: words }).nullable(),
  /** Index of the wave that is at work or next; how many waves there are when all are through. */
  wave: count,
  waves: count,
});

const unitSchema = z.strictObject({
  unit: unitId,
  kind: z.enum(UNIT_KINDS),
  title: words,
  version: count.nullable(),
  digest,
  /** False: it is only observed, and counts for nothing. */
  enforced: z.boolean(),
  /** Somebody is pending or claimed, or nobody at all proved it. */
  behind: z.boolean(),
  /** How many nodes should have it, or must let go of it. Each is in exactly one of the four lists. */
  targets: count,
  applied: z.array(name),
  claimed: z.array(name),
  pending: z.array(
    z.strictObject({
      node: name,
      /** Stable code: `failed`, `unreachable`, `waiting`, … */
      reason: label,
      since: moment.nullable(),
      detail: words,
      /** The command that moves it on, or what to do. */
      hint: words,
    }),
  ),
  not_for_me: z.array(z.strictObject({ node: name, reason: words, by: words })),
  /** How the facts of `applied` came to be read (DESIGN §3.3). */
  grades: z.strictObject({ transition: count, "already-true": count }),
  /** Of `applied`: when the fact was last read that was read longest ago. */
  oldest_read: moment.nullable(),
  /** What was said of `claimed`. */
  claims: z.array(z.strictObject({ node: name, note: words, by: words, at: moment })),
  /** Of this digest; null: there was none. */
  rollout: rolloutSchema.nullable(),
  /** What the next run does about it. */
  next: z.strictObject({
    kind: z.enum(["nothing", "observe", "start", "continue", "stopped", "nobody", "waiting"]),
    detail: words,
    /** The command that moves it on; may be empty. */
    hint: words,
    waiting_on: z.array(unitId),
  }),
  /** Said loudly: a second look that is missing, a canary that is not as the author wanted it. */
  warnings: z.array(words),
  escapes: z.array(z.strictObject({ gate: label, reason: words, by: label, at: moment })),
  /** Words to the rollout that it could not take. */
  ignored: z.array(z.strictObject({ event: label, why: words })),
});

/**
 * `rollcall board --json` (DESIGN §5): the four states of each unit, never added together. Text in it came from git and from
 * nodes and is not safe for a terminal as it is.
 */
export const boardSchema = z.strictObject({
  generation: z.int().min(1),
  desired: desiredSchema,
  observed: z.strictObject({
    /** Of the observed branch; null: nothing was recorded yet. */
    commit: commitId.nullable(),
    /** When a node last answered. */
    read_at: moment.nullable(),
  }),
  /** In the order of a run; those that are only observed are among them. */
  units: z.array(unitSchema),
  /** Files of the record that cannot be read, and count as absent. */
  damaged: z.array(z.strictObject({ path: words, message: words })),
});

export type Board = z.output<typeof boardSchema>;
export type BoardUnit = Board["units"][number];
export type PendingNode = BoardUnit["pending"][number];
