import { z } from "zod";
import { label, moment, words } from "./recorded-scalar.ts";

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
});
export type LockRecord = z.output<typeof lockRecordSchema>;
