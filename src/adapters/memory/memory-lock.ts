import type { LockRecord } from "../../model/lock-record.ts";
import type { Clock, HeldLock, LockRequest } from "../../ports.ts";
import type { MemoryRefs } from "./memory-refs.ts";

/** An expiry that is further ahead than this is no lease: some clock is wrong. Milliseconds. */
export const LONGEST_LEASE_MS = 3_600_000;

type LockWish = Pick<LockRequest, "holder" | "runId" | "leaseMs">;

/** The lock as one controller holds it, until somebody takes it over. */
export class MemoryLock implements HeldLock {
  readonly runId: string;
  epoch: number;
  readonly #refs: MemoryRefs;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  #renewedMs: number;

  constructor(refs: MemoryRefs, clock: Clock, record: LockRecord, leaseMs: number) {
    this.runId = record.run_id;
    this.epoch = record.epoch;
    this.#refs = refs;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#renewedMs = Date.parse(record.taken_at);
  }

  async keep(): Promise<{ readonly lost: string | null }> {
    const lost = this.lostTo();
    if (lost === null && this.#clock.now().getTime() - this.#renewedMs > this.#leaseMs / 3) this.renew();
    return { lost };
  }

  async raise(above: number): Promise<boolean> {
    if (this.lostTo() !== null || this.#refs.lock === null) return false;
    this.epoch = Math.max(this.epoch, above + 1);
    this.#refs.lock = { ...this.#refs.lock, epoch: this.epoch };
    return true;
  }

  async release(): Promise<void> {
    if (this.lostTo() === null && this.#refs.lock !== null) this.#refs.lock = { ...this.#refs.lock, holder: null };
  }

  /** Who has it now; null: still this one. */
  lostTo(): string | null {
    const now = this.#refs.lock;
    const own = now !== null && now.holder !== null && now.run_id === this.runId && now.epoch === this.epoch;
    return own ? null : (now?.holder ?? "nobody");
  }

  renew(): void {
    const now = this.#clock.now().getTime();
    this.#renewedMs = now;
    if (this.#refs.lock !== null) {
      this.#refs.lock = { ...this.#refs.lock, expires_at: new Date(now + this.#leaseMs).toISOString() };
    }
  }
}

export function lockRecord(wish: LockWish, epoch: number, now: Date, takenOver: string | null): LockRecord {
  return {
    v: 1,
    epoch,
    holder: wish.holder,
    run_id: wish.runId,
    taken_at: now.toISOString(),
    expires_at: new Date(now.getTime() + wish.leaseMs).toISOString(),
    taken_over: takenOver,
  };
}
