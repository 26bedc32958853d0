import type { LockRecord } from "../../model/lock-record.ts";
import type { LockAnswer, LockRequest } from "../../ports.ts";
import { holderOf, type SeenLock } from "./lock-commit.ts";

export type Freedom =
  | { readonly kind: "free"; readonly tookOver: string | null }
  | Extract<LockAnswer, { kind: "refused" }>;

/** Milliseconds that two clocks may differ before an expiry far ahead is held to be a wrong clock. */
const CLOCK_TOLERANCE = 5 * 60_000;

const TAKE_OVER = 'rollcall reconcile --take-over-lock --reason "…"';

/** May this request have the lock, and from whom is it taken (DESIGN §4)? `dead`: its holder is known not to run any more. */
export function freedomOf(
  seen: SeenLock,
  request: Pick<LockRequest, "leaseMs" | "takeOver">,
  now: Date,
  dead: boolean,
): Freedom {
  if (seen.kind === "absent") return { kind: "free", tookOver: null };
  const byHand = request.takeOver === null ? null : `${holderOf(seen)}, by hand: ${request.takeOver}`;
  if (seen.kind === "damaged") {
    if (byHand !== null) return { kind: "free", tookOver: byHand };
    return {
      kind: "refused",
      code: "lock-damaged",
      message: "refs/rollcall/lock holds a record that this rollcall cannot read",
      hint: `use the newest rollcall everywhere; or: ${TAKE_OVER}`,
    };
  }
  const { record } = seen;
  if (record.holder === null) return { kind: "free", tookOver: null };
  if (dead) return { kind: "free", tookOver: `${holderOf(seen)}, which no longer runs on this machine` };
  const ahead = Date.parse(record.expires_at) - now.getTime();
  if (ahead <= 0) return { kind: "free", tookOver: `${holderOf(seen)}, whose lease ended at ${record.expires_at}` };
  if (byHand !== null) return { kind: "free", tookOver: byHand };
  return ahead > request.leaseMs + CLOCK_TOLERANCE ? wrongClock(record, now) : locked(seen, record);
}

function locked(seen: SeenLock, record: LockRecord): Freedom {
  return {
    kind: "refused",
    code: "locked",
    message: `the fleet is held by ${holderOf(seen)}; its lease lasts until ${record.expires_at}`,
    hint: `wait for it, or, when it is gone for good: ${TAKE_OVER}`,
  };
}

function wrongClock(record: LockRecord, now: Date): Freedom {
  return {
    kind: "refused",
    code: "lock-clock",
    message: `the lock of ${record.holder} lasts until ${record.expires_at}, further than any lease from ${now.toISOString()} here: one of the two clocks is wrong`,
    hint: `set this machine's clock, or the holder's; or: ${TAKE_OVER}`,
  };
}
