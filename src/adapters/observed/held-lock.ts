import type { LockRecord } from "../../model/lock-record.ts";
import type { Clock, HeldLock } from "../../ports.ts";
import type { GitRefusal } from "../git-remote.ts";
import { buildCommits } from "./build-commits.ts";
import { expiry, holderOf, lockCommit, readLock } from "./lock-commit.ts";
import { untilWon } from "./races.ts";
import type { RecordRefs } from "./record-refs.ts";

/** What a lock shares with the store that gave it. */
export interface LockDoors {
  readonly folder: string;
  readonly refs: RecordRefs;
  readonly clock: Clock;
  /** One at a time: a renewal must not cross a record's. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

type Put = { readonly kind: "put" } | { readonly kind: "lost"; readonly by: string } | GitRefusal;

/** The lock as this process holds it. It is renewed by a timer as well, as long as the process lives. */
export class GitHeldLock implements HeldLock {
  readonly #doors: LockDoors;
  readonly #leaseMs: number;
  readonly #timer: NodeJS.Timeout;
  #record: LockRecord;
  #commit: string;
  #renewedAt: number;
  #lost: string | null = null;

  constructor(doors: LockDoors, record: LockRecord, commit: string, leaseMs: number) {
    this.#doors = doors;
    this.#record = record;
    this.#commit = commit;
    this.#leaseMs = leaseMs;
    this.#renewedAt = doors.clock.now().getTime();
    // Without it a long step on a node would outlast the lease.
    this.#timer = setInterval(() => void this.keep().catch(() => {}), Math.max(1000, leaseMs / 4));
    this.#timer.unref();
  }

  get runId(): string {
    return this.#record.run_id;
  }

  get epoch(): number {
    return this.#record.epoch;
  }

  keep(): Promise<{ readonly lost: string | null }> {
    return this.#doors.alone(async () => {
      if (this.#lost !== null) return { lost: this.#lost };
      const now = this.#doors.clock.now().getTime();
      // A clock that was set back must not keep it from being renewed.
      if (now >= this.#renewedAt && now - this.#renewedAt < this.#leaseMs / 3) return { lost: null };
      const put = await this.#put((record) => record);
      if (put.kind === "put") return { lost: null };
      if (put.kind === "lost") return { lost: put.by };
      const over = now >= Date.parse(this.#record.expires_at);
      return { lost: over ? `nobody knows: the lease ended, and the remote says: ${put.message}` : null };
    });
  }

  raise(above: number): Promise<boolean> {
    return this.#doors.alone(async () => {
      if (this.#lost !== null) return false;
      const put = await this.#put((record) => ({ ...record, epoch: Math.max(record.epoch, above + 1) }));
      return put.kind === "put";
    });
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#doors
      .alone(async () => {
        if (this.#lost !== null) return;
        await this.#put((record) => ({ ...record, holder: null, process: null }));
        this.#lost = "nobody: it was released";
      })
      .catch(() => {});
  }

  /** For a push of which the lock's renewal is a part. `tip`: the ref as just fetched. Call it alone. */
  async renewal(tip: string | null): Promise<{ readonly record: LockRecord } | { readonly lost: string }> {
    if (this.#lost !== null) return { lost: this.#lost };
    const seen = await readLock(this.#doors.folder, tip);
    if (
      tip !== null &&
      seen.kind === "record" &&
      seen.record.holder !== null &&
      seen.record.token === this.#record.token
    ) {
      // Ours, and perhaps one whose answer never came.
      this.#commit = tip;
      this.#record = seen.record;
      return { record: this.#renewed() };
    }
    this.#lost = holderOf(seen);
    clearInterval(this.#timer);
    return { lost: this.#lost };
  }

  /** The renewal has landed. */
  landed(record: LockRecord, commit: string): void {
    this.#record = record;
    this.#commit = commit;
    this.#renewedAt = Date.parse(record.expires_at) - this.#leaseMs;
  }

  #renewed(): LockRecord {
    const serial = (this.#record.serial ?? 0) + 1;
    return { ...this.#record, serial, expires_at: expiry(this.#doors.clock.now(), this.#leaseMs) };
  }

  async #put(change: (record: LockRecord) => LockRecord): Promise<Put> {
    const { folder, refs, clock } = this.#doors;
    return untilWon<Put>(async (attempt) => {
      // Most often nobody else has touched the ref, and one conversation is enough.
      const own = attempt === 1 ? null : await this.#asFetched();
      if (own !== null) return own;
      const record = change(this.#renewed());
      const built = await buildCommits(folder, [lockCommit(record, clock.now())]);
      if (built.kind === "failed") return built;
      const [commit = ""] = built.ids;
      const answer = await refs.swap([{ ref: "lock", from: this.#commit, to: commit }]);
      if (answer.kind !== "swapped") return answer;
      this.landed(record, commit);
      return { kind: "put" };
    });
  }

  /** null: it is still ours. */
  async #asFetched(): Promise<Put | null> {
    const fetched = await this.#doors.refs.fetch();
    if (fetched.kind === "failed") return fetched;
    const own = await this.renewal(fetched.tips.lock);
    return "lost" in own ? { kind: "lost", by: own.lost } : null;
  }
}
