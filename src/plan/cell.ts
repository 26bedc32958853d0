import type { Grade } from "../model/marker.ts";
import type { SkipReason } from "../model/rollout-event.ts";

/**
 * The state of one unit on one node (DESIGN §3.3, rollout-model §1): computed each time, stored nowhere. The four are never
 * added together.
 */
export type Cell = { readonly node: string; readonly unit: string } & (
  | {
      readonly state: "applied";
      readonly grade: Grade;
      /** When it was proved first, and when the fact was last read (RFC 3339). */
      readonly at: string;
      readonly lastRead: string;
    }
  | { readonly state: "not-for-me"; readonly reason: string; readonly by: string }
  | { readonly state: "claimed"; readonly note: string; readonly by: string; readonly at: string }
  | {
      readonly state: "pending";
      readonly reason: PendingReason;
      /** RFC 3339, since when; null where nobody knows. */
      readonly since: string | null;
      /** One line for people, what happened; may be empty. */
      readonly detail: string;
      /** The command that would move it on, or what to do. */
      readonly hint: string;
    }
);

/** Why a cell is behind: closed, stable codes, most telling first where several hold (DESIGN §3.3). */
export const PENDING_REASONS = [
  /** Nothing is ever done to it, so it is in no wave. */
  "unsupported-os",
  "disabled",
  /** The last attempt of the rollout that stands failed. */
  "failed",
  "rolled-back",
  /** A live down verdict. */
  "down",
  /** The node did not answer the last time. */
  "unreachable",
  /** It was never read at all. */
  "never-reported",
  /** Its last sign of life is too old. */
  "stale",
  /** Proved once, and found false since by reading the node. */
  "proof-lost",
  /** Another machine stands where this was proved. */
  "other-machine",
  /** It proved another digest: the desired state has changed. */
  "other-digest",
  /** Its wave has not begun. */
  "waiting",
  /** Its rollout stands still. */
  "paused",
  "canceled",
  /** Nothing has been done yet. */
  "due",
  /** What its role left there is not taken away yet. */
  "leaving",
] as const;
export type PendingReason = (typeof PENDING_REASONS)[number];

/** Why a pending node is not even a candidate for waves; null: it is one. */
export function skipReasonOf(cell: Cell): SkipReason | null {
  if (cell.state === "not-for-me") return "declined";
  if (cell.state === "claimed") return "claimed";
  if (cell.state !== "pending") return null;
  if (cell.reason === "disabled" || cell.reason === "unsupported-os") return cell.reason;
  return null;
}
