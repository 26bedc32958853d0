import type { HeldLock, ObservedStore } from "../ports.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";

/** How long the lock lasts unless it is renewed (DESIGN §4). */
const LEASE_MS = 600_000;

export interface LockWish {
  /** Who, for people. */
  readonly holder: string;
  readonly runId: string;
  /** The reason to take the lock from who has it; null: only when it is free. */
  readonly takeOver: string | null;
}

/** Runs `work` while the fleet's lock is held, and lets it go whatever happens. Exit 2 when somebody else has it. */
export async function underLock(
  store: Pick<ObservedStore, "lock">,
  wish: LockWish,
  work: (lock: HeldLock, tookOver: string | null) => Promise<CommandResult>,
): Promise<CommandResult> {
  const answer = await store.lock({ ...wish, leaseMs: LEASE_MS });
  if (answer.kind === "refused") {
    const { code, message, hint } = answer;
    return refused({ code, message, hint }, EXIT.refused);
  }
  try {
    return await work(answer.lock, answer.tookOver);
  } finally {
    await answer.lock.release();
  }
}
