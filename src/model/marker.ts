import { z } from "zod";
import { RESOURCE_TYPES } from "./drift-item.ts";
import { commitId, count, digest, label, moment, words } from "./recorded-scalar.ts";
import { unitId } from "./scalar.ts";

/** How a fact came to be read: seen false before and true after, or true before anything ran (DESIGN §3.3). */
export const GRADES = ["transition", "already-true"] as const;
export type Grade = (typeof GRADES)[number];

/**
 * The record that one node proved one unit, bound to its digest (DESIGN §2, §3.3). It is written only after a second
 * observation, and never changed while it still says the same: who proved it first, and when, stays.
 */
export const markerSchema = z.strictObject({
  unit: unitId,
  /** What the node converged to: of a role its rendered resources (DESIGN §3.2), of a parcel the parcel's digest. */
  digest,
  /** What names the rollout: of a role its manifest and files. */
  unit_digest: digest,
  /** Of a role: its `version` then. */
  version: count.nullable(),
  /** SHA-256 of the node's /etc/machine-id; null where it has none. */
  machine_id: digest.nullable(),
  at: moment,
  run_id: label,
  /** The commit that was applied. */
  commit: commitId.nullable(),
  verify_exit: count,
  grade: z.enum(GRADES),
  /** What the proof read, in a few words; secrets are masked. */
  evidence: words,
  /** Of a role: its resources then, so that it can be told what leaves (DESIGN §3.2). */
  resources: z.array(
    z.strictObject({
      type: z.enum(RESOURCE_TYPES),
      id: z.string().min(1).max(4200),
      /** What taking it away would be; null: it cannot be. See {@link OwnedResource}. */
      removal: z.record(z.string().max(64), z.string().max(4200)).nullable(),
      /** It is in the node's own record of what rollcall made; what was only adopted is not. */
      owned: z.boolean(),
    }),
  ),
});

export type Marker = z.output<typeof markerSchema>;
