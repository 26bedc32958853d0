import { gitObservedStore } from "../../src/adapters/observed/git-store.ts";
import type { Clock, HeldLock, LockRequest, ObservedFiles, ObservedWrites, RecordAnswer } from "../../src/ports.ts";

/** A clock that a test moves. */
export interface MovedClock extends Clock {
  ms: number;
  minutes(more: number): void;
}

export function movedClock(start = "2026-11-30T12:00:00Z"): MovedClock {
  return {
    ms: Date.parse(start),
    now() {
      return new Date(this.ms);
    },
    minutes(more) {
      this.ms += more * 60_000;
    },
  };
}

export const LEASE = 10 * 60_000;

export function storeIn(folder: string, clock: Clock = movedClock()) {
  return gitObservedStore(folder, { branch: "observed", clock });
}

export type Store = ReturnType<typeof storeIn>;

export function request(runId: string, more: Partial<LockRequest> = {}): LockRequest {
  return { holder: `octocat, ${runId}`, runId, leaseMs: LEASE, takeOver: null, ...more };
}

export async function held(store: Store, runId: string, more: Partial<LockRequest> = {}): Promise<HeldLock> {
  const answer = await store.lock(request(runId, more));
  if (answer.kind !== "held") throw new Error(`${answer.code}: ${answer.message}`);
  return answer.lock;
}

export const put = (files: Readonly<Record<string, string | null>>) => (): ObservedWrites =>
  new Map(Object.entries(files));

/** Adds one line to a file that others add to as well: whoever forgets what others wrote loses their lines. */
export const addLine =
  (path: string, line: string) =>
  (files: ObservedFiles): ObservedWrites =>
    new Map([[path, `${files.read(path) ?? ""}${line}\n`]]);

export function record(
  store: Store,
  edit: (files: ObservedFiles) => ObservedWrites,
  lock: HeldLock | null = null,
): Promise<RecordAnswer> {
  return store.record(edit, { message: "observe: a test", lock });
}
