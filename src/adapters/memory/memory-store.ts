import { Trouble } from "../../kit/trouble.ts";
import type { LockRecord } from "../../model/lock-record.ts";
import type {
  Clock,
  HeldLock,
  LockAnswer,
  LockRequest,
  ObservedFiles,
  ObservedStore,
  ObservedWrites,
  RecordAnswer,
  RecordOptions,
} from "../../ports.ts";
import { ControllerKilled } from "./faults.ts";
import { LONGEST_LEASE_MS, lockRecord, MemoryLock } from "./memory-lock.ts";
import { committed, type MemoryRefs, snapshot } from "./memory-refs.ts";
import type { StoreCall, StoreFault } from "./store-faults.ts";

/**
 * One controller's way to observed refs in memory: for simulation, and for tests of everything that can go wrong. Between
 * a read and its write others get their turn, and a write that lost a race reads and edits again.
 */
export class MemoryStore implements ObservedStore {
  readonly refs: MemoryRefs;
  /** A killed process makes no more calls, and those it was in never return. */
  killed = false;
  readonly #clock: Clock;
  readonly #faults: readonly StoreFault[];
  readonly #calls = new Map<StoreCall, number>();

  constructor(refs: MemoryRefs, clock: Clock, faults: readonly StoreFault[] = []) {
    this.refs = refs;
    this.#clock = clock;
    this.#faults = faults;
  }

  /** How often it was asked so far. */
  calls(kind: StoreCall): number {
    return this.#calls.get(kind) ?? 0;
  }

  async read(): Promise<{ readonly observed: ObservedFiles; readonly live: ObservedFiles }> {
    return this.#call("read", async (faults) => {
      const refusal = refusalIn(faults);
      if (refusal !== null) throw new Trouble(refusal.message, refusal);
      return { observed: snapshot(this.refs.observed), live: snapshot(this.refs.live) };
    });
  }

  async record(edit: (files: ObservedFiles) => ObservedWrites, options: RecordOptions): Promise<RecordAnswer> {
    return this.#call("record", (faults) => this.#write("observed", edit, options, faults));
  }

  async publish(edit: (files: ObservedFiles) => ObservedWrites): Promise<RecordAnswer> {
    const options = { message: "live", lock: null };
    return this.#call("publish", (faults) => this.#write("live", edit, options, faults));
  }

  async lock(request: LockRequest): Promise<LockAnswer> {
    return this.#call("lock", async (faults) => {
      const refusal = refusalIn(faults);
      if (refusal !== null) return { ...refusal, kind: "refused" };
      for (;;) {
        const seen = this.refs.lock;
        const now = this.#clock.now();
        const free = freedBy(seen, request, this.refs.dead, now);
        if (!free.free) return free.refusal;
        const record = lockRecord(request, (seen?.epoch ?? 0) + 1, now, free.why);
        await Promise.resolve();
        if (this.refs.lock !== seen) continue;
        this.refs.lock = record;
        return { kind: "held", lock: this.#held(record, request.leaseMs), tookOver: free.why };
      }
    });
  }

  async #write(
    name: "observed" | "live",
    edit: (files: ObservedFiles) => ObservedWrites,
    { message, lock }: RecordOptions,
    faults: readonly StoreFault[],
  ): Promise<RecordAnswer> {
    const refusal = refusalIn(faults);
    if (refusal !== null) return refusal;
    let rivals = faults.flatMap((fault) => (fault.fault === "race" ? [fault.writes] : []));
    for (;;) {
      const seen = this.refs[name];
      const next = committed(seen, edit(snapshot(seen)), message);
      for (const writes of rivals) this.refs[name] = committed(this.refs[name], writes, "by somebody else");
      rivals = [];
      await Promise.resolve();
      this.#mustLive();
      if (this.refs[name] !== seen) continue;
      if (next === seen) return { kind: "unchanged", files: snapshot(seen) };
      const lost = ownLock(lock)?.lostTo() ?? null;
      if (lost !== null) return { kind: "lock-lost", by: lost };
      this.refs[name] = next;
      ownLock(lock)?.renew();
      return { kind: "recorded", files: snapshot(next) };
    }
  }

  #held(record: LockRecord, leaseMs: number): HeldLock {
    const lock = new LockInUse(this.refs, this.#clock, record, leaseMs);
    lock.through = (kind, ask) => this.#call(kind, ask);
    return lock;
  }

  async #call<Answer>(kind: StoreCall, ask: (faults: readonly StoreFault[]) => Promise<Answer>): Promise<Answer> {
    this.#mustLive();
    const count = this.calls(kind);
    this.#calls.set(kind, count + 1);
    const faults = this.#faults.filter(({ on, nth = count }) => on === kind && nth === count);
    for (const fault of faults) if (fault.fault === "lock-lost") this.#usurp(fault.by);
    this.#dieAt("before", faults, kind);
    const answer = await ask(faults);
    this.#dieAt("after", faults, kind);
    this.#mustLive();
    return answer;
  }

  #usurp(by: string): void {
    const wish = { holder: by, runId: by, leaseMs: LONGEST_LEASE_MS / 6 };
    this.refs.lock = lockRecord(wish, (this.refs.lock?.epoch ?? 0) + 1, this.#clock.now(), "by force");
  }

  #dieAt(at: "before" | "after", faults: readonly StoreFault[], kind: StoreCall): void {
    if (!faults.some((fault) => fault.fault === "controller-killed" && fault.at === at)) return;
    this.killed = true;
    throw new ControllerKilled(`killed ${at} ${kind}`);
  }

  #mustLive(): void {
    if (this.killed) throw new ControllerKilled("this controller was killed");
  }
}

/** The lock, asked through the store, so that faults strike there too. */
class LockInUse extends MemoryLock {
  through: <Answer>(kind: StoreCall, ask: () => Promise<Answer>) => Promise<Answer> = (_kind, ask) => ask();

  override keep(): Promise<{ readonly lost: string | null }> {
    return this.through("keep", () => super.keep());
  }
  override raise(above: number): Promise<boolean> {
    return this.through("raise", () => super.raise(above));
  }
  override release(): Promise<void> {
    return this.through("release", () => super.release());
  }
}

function ownLock(lock: HeldLock | null): MemoryLock | null {
  if (lock === null || lock instanceof MemoryLock) return lock;
  throw new Error("the lock is another store's");
}

type Freedom =
  /** `why`: of a lock that was taken from somebody. */
  | { readonly free: true; readonly why: string | null }
  | { readonly free: false; readonly refusal: Extract<LockAnswer, { kind: "refused" }> };

function freedBy(seen: LockRecord | null, request: LockRequest, dead: ReadonlySet<string>, now: Date): Freedom {
  if (seen === null || seen.holder === null) return { free: true, why: null };
  if (request.takeOver !== null) return { free: true, why: `taken from ${seen.holder}: ${request.takeOver}` };
  if (dead.has(seen.run_id)) return { free: true, why: `${seen.holder} has died` };
  const leftMs = Date.parse(seen.expires_at) - now.getTime();
  if (leftMs <= 0) return { free: true, why: `${seen.holder} let it expire at ${seen.expires_at}` };
  const hint = 'wait for that run to end, or --take-over-lock --reason "…"';
  const refusal =
    leftMs > LONGEST_LEASE_MS
      ? { code: "lock-clock", message: `the lock of ${seen.holder} lasts until ${seen.expires_at}: a clock is wrong` }
      : { code: "locked", message: `${seen.holder} is at work until ${seen.expires_at}, run ${seen.run_id}` };
  return { free: false, refusal: { kind: "refused", ...refusal, hint } };
}

function refusalIn(faults: readonly StoreFault[]): Extract<RecordAnswer, { kind: "failed" }> | null {
  const [refusal] = faults.flatMap((fault) => (fault.fault === "refused" ? [fault.message] : []));
  if (refusal === undefined) return null;
  return { kind: "failed", code: "push-refused", message: refusal, hint: "look at the remote's rules for the refs" };
}
