import { z } from "zod";
import { count, label, moment, words } from "./recorded-scalar.ts";

/**
 * The process that holds the lock, as only its own machine can judge it: a number means a process only within one boot
 * and one namespace of numbers, and numbers are given out again, hence the moment at which it began.
 */
export const lockProcessSchema = z.strictObject({
  boot: label,
  namespace: label,
  pid: count,
  /** Clock ticks since boot. */
  began: label,
});
export type LockProcess = z.output<typeof lockProcessSchema>;

/**
 * What `refs/rollcall/lock` holds (DESIGN §4). The epoch rises with each holder, never falls, and outlives the holder: it is
 * the fencing token on nodes. Times are the holder's clock's; a holder that is taken over from notices by the ref itself.
 */
export const lockRecordSchema = z.strictObject({
  v: z.literal(1),
  epoch: z.int().min(1),
  /** null: free. */
  holder: label.nullable(),
  run_id: label,
  taken_at: moment,
  expires_at: moment,
  /** Why it was taken from somebody who had not released it; null: it was free. */
  taken_over: words.nullable(),
  /** Tells one acquisition from every other one, also of two runs that were given the same name. */
  token: label.optional(),
  /** Rises with each write: every push then moves the ref, so that the remote itself compares it with what it was. */
  serial: count.optional(),
  /** Left out where the machine cannot tell; null: nobody holds it. */
  process: lockProcessSchema.nullable().optional(),
});
export type LockRecord = z.output<typeof lockRecordSchema>;
