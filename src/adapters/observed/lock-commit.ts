import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type LockRecord, lockRecordSchema } from "../../model/lock-record.ts";
import type { LockRequest } from "../../ports.ts";
import { demandGit } from "../git-process.ts";
import type { NewCommit } from "./build-commits.ts";
import { ownProcess } from "./holder-process.ts";

/** What a commit of `refs/rollcall/lock` says. */
export type SeenLock =
  | { readonly kind: "absent" }
  | { readonly kind: "record"; readonly record: LockRecord }
  /** Written by another hand, or by a newer rollcall. `epoch`: as far as it can be made out, else 0. */
  | { readonly kind: "damaged"; readonly epoch: number };

/** The record is the message of a commit without files and without parents: a lock has no history. */
export async function readLock(folder: string, commit: string | null): Promise<SeenLock> {
  if (commit === null) return { kind: "absent" };
  const text = (await demandGit(folder, ["cat-file", "commit", commit])).toString("utf8");
  const json = jsonOf(text.slice(text.indexOf("\n\n") + 2));
  const parsed = lockRecordSchema.safeParse(json);
  if (parsed.success) return { kind: "record", record: parsed.data };
  const epoch = z.object({ epoch: z.int().min(1) }).safeParse(json);
  return { kind: "damaged", epoch: epoch.success ? epoch.data.epoch : 0 };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function lockCommit(record: LockRecord, at: Date): NewCommit {
  return { message: `${JSON.stringify(record, null, 2)}\n`, at, parent: null, tree: null, writes: new Map() };
}

export function newLock(request: LockRequest, epoch: number, now: Date, takenOver: string | null): LockRecord {
  return {
    v: 1,
    epoch,
    holder: request.holder.slice(0, 200),
    run_id: request.runId,
    taken_at: now.toISOString(),
    expires_at: expiry(now, request.leaseMs),
    taken_over: takenOver?.slice(0, 4000) ?? null,
    token: randomBytes(12).toString("hex"),
    serial: 0,
    process: ownProcess(),
  };
}

export function expiry(now: Date, leaseMs: number): string {
  return new Date(now.getTime() + leaseMs).toISOString();
}

export function epochOf(seen: SeenLock): number {
  if (seen.kind === "absent") return 0;
  return seen.kind === "record" ? seen.record.epoch : seen.epoch;
}

/** Who has it, in a few words; for people. */
export function holderOf(seen: SeenLock): string {
  if (seen.kind === "absent") return "nobody: the lock's ref is gone";
  if (seen.kind === "damaged") return "somebody unknown: the lock's record cannot be read";
  const { holder, run_id, taken_at } = seen.record;
  return holder === null
    ? `nobody: it was released after run ${run_id}`
    : `${holder} (run ${run_id}, since ${taken_at})`;
}
