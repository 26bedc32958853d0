import { z } from "zod";
import { driftItemSchema } from "./drift-item.ts";
import { markerSchema } from "./marker.ts";
import { OUTCOMES, type OutcomeCode } from "./node-outcome.ts";
import { count, digest, moment, words } from "./recorded-scalar.ts";
import { name, unitId } from "./scalar.ts";

/** `nodes/<ab>/<name>/state.json` on `observed` (DESIGN §4): what the node proved. Changes only when its meaning does. */
export const nodeStateSchema = z.strictObject({
  v: z.literal(1),
  node: name,
  machine_id: digest.nullable(),
  /** By unit, sorted. */
  markers: z.array(markerSchema),
});
export type NodeState = z.output<typeof nodeStateSchema>;

/**
 * `nodes/<ab>/<name>/report.json` on `observed`, and `reports/<ab>/<name>.json` on `observed-live`: what differed when the
 * node was last read. Items keep the `discovered_at` of their first sight, and hold no hash of a secret (it is keyed
 * anew each run, so it would be news each time).
 */
export const nodeReportSchema = z.strictObject({
  v: z.literal(1),
  node: name,
  machine_id: digest.nullable(),
  /** Node digest of each unit that was compared: whose digest is not the marker's differs because desired state changed. */
  digests: z.record(unitId, digest),
  items: z.array(driftItemSchema),
});
export type NodeReport = z.output<typeof nodeReportSchema>;

const outcomes = Object.keys(OUTCOMES) as [OutcomeCode, ...OutcomeCode[]];

/** A node's sign of life (DESIGN §4), in `heartbeats.json` of `observed-live`, which has no history. */
export const heartbeatSchema = z.strictObject({
  /** The last successful observation; null: never. */
  observed_at: moment.nullable(),
  /** The last attempt and what came of it. */
  attempted_at: moment,
  outcome: z.enum(outcomes),
  message: words,
  /** Since when every attempt failed; null: the last one did not. */
  failing_since: moment.nullable(),
  /** What the recheck of a down verdict said last; null: there is no verdict, or it was not asked. */
  recheck: z.strictObject({ at: moment, passed: z.boolean(), message: words }).nullable(),
  /** How many audits in a row saw each drift item; kept only where `drift.alert_after` asks for more than one. */
  drift_seen: z.record(z.string().max(4400), count).optional(),
});
export type Heartbeat = z.output<typeof heartbeatSchema>;

/** `fleet.json` on `observed`: what was last reconciled (DESIGN §3.1). Set when a run starts. */
export const reconciledSchema = z.strictObject({
  v: z.literal(1),
  generation: z.int().min(1),
  commit: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/),
});
export type Reconciled = z.output<typeof reconciledSchema>;
