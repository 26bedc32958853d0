import type { PlanDocument } from "../../model/plan-document.ts";
import { type Escalation, escalations } from "../../plan/escalation.ts";
import type { Moved } from "../../plan/moved.ts";
import { moved } from "../../plan/moved.ts";
import { unionOfReviews, unseenItems } from "../../plan/reviewed.ts";
import type { FencedMerge } from "../reconcile.ts";
import { recomputedPlan } from "./recomputed-plan.ts";
import { type ReviewDoors, type Reviews, reviewsOf } from "./reviews.ts";

/** What a merge would do beyond what people had seen of it. */
export interface EscalationCheck {
  /** How it was measured. `nothing-new`: this content was begun before. */
  readonly kind: "nothing-new" | "first-run" | "reviewed" | "partly-reviewed" | "not-reviewed" | "not-known";
  readonly escalations: readonly Escalation[];
  /** What else is another thing than in the reviewed plans; only where there are any. */
  readonly moved: readonly Moved[];
  readonly pullRequests: Reviews["pullRequests"];
  /** Sentences on what was compared with what. */
  readonly notes: readonly string[];
  /** What this run is about to do, without what only `observed-live` knows; null: it was not asked. */
  readonly fresh: PlanDocument | null;
}

const NONE = { escalations: [], moved: [], pullRequests: [], notes: [], fresh: null };

/**
 * DESIGN §6: the fresh plan against the reviewed ones, all made from recorded commits alone. What the commit that was last
 * begun would go on to do counts as reviewed: it passed here before. Of what nobody reviewed only what takes away or restarts
 * stops the run; where nobody can say what was reviewed, only what takes away.
 */
export async function escalationCheck(doors: ReviewDoors, merge: FencedMerge): Promise<EscalationCheck> {
  const { recorded, lineage, commit, branch, record } = merge;
  if (recorded !== null && lineage.same) return { ...NONE, kind: "nothing-new" };
  const observed = record.commit;
  const fresh = await recomputedPlan(doors, { merge: commit, base: null, observed });
  if ("gone" in fresh) throw new Error(fresh.gone);
  if (recorded === null) {
    const notes = ["this is the first run: nothing was reconciled yet, and nothing counts as reviewed"];
    return { ...NONE, kind: "first-run", escalations: grave(unseenItems(fresh), fresh), notes, fresh };
  }
  const settled = await recomputedPlan(doors, { merge: recorded.commit, base: null, observed });
  const before = "gone" in settled ? [] : [settled];
  const reviews = await reviewsOf(doors, recorded.commit, commit, branch.replace(/^origin\//, ""));
  const { plans, pullRequests } = reviews;
  const notes = notesOf(reviews);
  if (reviews.unreachable !== null) {
    const known = unionOfReviews([unseenItems(fresh), ...before]) ?? fresh;
    const found = escalations(known, fresh).filter(({ code }) => code === "destructive");
    return { ...NONE, kind: "not-known", escalations: found, notes, fresh };
  }
  const whole = reviews.unknown.length === 0 && plans.length > 0;
  const seen = unionOfReviews(whole ? [...plans, ...before] : [...plans, unseenItems(fresh), ...before]) ?? fresh;
  return {
    kind: whole ? "reviewed" : plans.length > 0 ? "partly-reviewed" : "not-reviewed",
    escalations: whole ? escalations(seen, fresh) : grave(seen, fresh),
    moved: whole ? moved(seen, fresh).filter(({ code }) => code !== "gone") : [],
    pullRequests,
    notes,
    fresh,
  };
}

function grave(seen: PlanDocument, fresh: PlanDocument): readonly Escalation[] {
  return escalations(seen, fresh).filter(({ code }) => code === "destructive" || code === "restart");
}

function notesOf({ unknown, notes, unreachable }: Reviews): readonly string[] {
  if (unreachable !== null) {
    return [`nobody could be asked what was reviewed (${unreachable}): only what takes something away stops this run`];
  }
  return [...notes, ...unknown.map(({ commit, why }) => `${commit.slice(0, 12)} was not reviewed: ${why}`)];
}
