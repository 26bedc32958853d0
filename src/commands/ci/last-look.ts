import type { PlanDocument } from "../../model/plan-document.ts";
import { moved } from "../../plan/moved.ts";
import { decisionKey } from "../../render/plan-comment-decisions.ts";
import type { LastLook } from "../../render/plan-comment-frame.ts";
import type { PlanMark } from "../../render/plan-mark.ts";
import { type RecomputeDoors, recomputedPlan } from "./recomputed-plan.ts";

/**
 * What became of the plan that the comment showed before (DESIGN §6). Both sides are made from commits alone, so that what is
 * told to have moved lies in the change, its base or the record, and not in who answered when.
 */
export async function lastLook(
  doors: RecomputeDoors,
  before: PlanMark,
  now: Omit<PlanMark, "digest">,
  shown: PlanDocument,
): Promise<LastLook> {
  const old = await recomputedPlan(doors, before);
  if ("gone" in old) return { kind: "gone", head: before.head, why: old.gone };
  const fresh = await recomputedPlan(doors, now);
  if ("gone" in fresh) return { kind: "gone", head: before.head, why: fresh.gone };
  const known = new Set(old.decisions.map(decisionKey));
  const news = new Set(fresh.decisions.map(decisionKey).filter((key) => !known.has(key)));
  const changes = moved(old, fresh);
  if (changes.length === 0 && news.size === 0) return { kind: "same", head: before.head };
  return {
    kind: "moved",
    head: { from: before.head, to: now.head },
    base: { from: before.base, to: now.base },
    observed: { from: before.observed, to: now.observed },
    moved: changes,
    seen: new Set(shown.decisions.map(decisionKey).filter((key) => !news.has(key))),
  };
}
