import type { ForgeComment, PullRequest } from "../../model/forge.ts";
import type { PlanDocument } from "../../model/plan-document.ts";
import type { Forge } from "../../ports/forge.ts";
import type { MergedPast } from "../../ports/merged-past.ts";
import { PLAN_MARK, type PlanMark, readPlanMark } from "../../render/plan-mark.ts";
import { type RecomputeDoors, recomputedPlan } from "./recomputed-plan.ts";

export interface ReviewDoors extends RecomputeDoors {
  readonly past: MergedPast;
  readonly forge: Forge | null;
  /** Why there is no forge, in one line. */
  readonly forgeProblem: string;
}

/** What is known of the reviews of the commits that were merged since the last run. */
export interface Reviews {
  /** Newest first. */
  readonly plans: readonly PlanDocument[];
  /** The pull requests that were merged, newest first. */
  readonly pullRequests: readonly Pick<PullRequest, "number" | "url">[];
  /** Of each commit whose review is not known, one line. */
  readonly unknown: readonly { readonly commit: string; readonly why: string }[];
  /** Sentences that the reader of the run should know. */
  readonly notes: readonly string[];
  /** The forge could not be asked: nothing is known of any review; null: it could. */
  readonly unreachable: string | null;
}

/** More merges than these in one run are not looked up: what is older counts as not reviewed. */
const MOST_COMMITS = 100;

/** Which plans people had seen of what was merged in `since`..`head` (DESIGN §6): by our own comments' marks. */
export async function reviewsOf(doors: ReviewDoors, since: string, head: string, branch: string): Promise<Reviews> {
  const commits = await doors.past.changes(since, head, MOST_COMMITS + 1);
  if (doors.forge === null) return unreachable(doors.forgeProblem);
  const merged = new Map<number, PullRequest>();
  const unknown: Reviews["unknown"][number][] = [];
  for (const commit of commits.slice(0, MOST_COMMITS)) {
    const answer = await doors.forge.pullRequestsOf(commit);
    if (answer.kind === "failed") return unreachable(answer.message);
    const own = answer.value.filter(({ state, baseBranch }) => state === "merged" && baseBranch === branch);
    if (own.length === 0) unknown.push({ commit, why: "it came without a pull request" });
    for (const one of own) merged.set(one.number, one);
  }
  const older = commits[MOST_COMMITS];
  if (older !== undefined) unknown.push({ commit: older, why: `more than ${MOST_COMMITS} merges came at once` });
  const plans: PlanDocument[] = [];
  const notes: string[] = [];
  for (const pullRequest of merged.values()) {
    const comment = await doors.forge.findComment(pullRequest.number, PLAN_MARK);
    if (comment.kind === "failed") return unreachable(comment.message);
    const seen = await reviewIn(doors, pullRequest, comment.value);
    if ("plan" in seen) plans.push(seen.plan);
    else unknown.push({ commit: pullRequest.headSha, why: seen.why });
    notes.push(...seen.notes);
  }
  const pullRequests = [...merged.values()].map(({ number, url }) => ({ number, url }));
  return { plans, pullRequests, unknown, notes, unreachable: null };
}

function unreachable(why: string): Reviews {
  return { plans: [], pullRequests: [], unknown: [], notes: [], unreachable: why };
}

type Seen = ({ readonly plan: PlanDocument } | { readonly why: string }) & { readonly notes: readonly string[] };

async function reviewIn(
  doors: ReviewDoors,
  { number, headSha }: PullRequest,
  comment: ForgeComment | null,
): Promise<Seen> {
  const place = `#${number}`;
  if (comment === null) return { why: `${place} has no plan comment of rollcall's own`, notes: [] };
  const mark = readPlanMark(comment.body);
  if (mark === undefined) return { why: `the plan comment of ${place} does not say what it was made from`, notes: [] };
  const notes =
    mark.head === headSha
      ? []
      : [`${place} was pushed to after its plan was posted; what counts is the plan that people saw`];
  const plan = await plannedThen(doors, mark);
  return "gone" in plan ? { why: `the plan of ${place} cannot be made again: ${plan.gone}`, notes } : { plan, notes };
}

/** From the very commits that the mark names; from the change itself where its trial merge is gone and it was up to date. */
async function plannedThen(doors: ReviewDoors, mark: PlanMark): Promise<PlanDocument | { readonly gone: string }> {
  const { commits, repository } = doors;
  if (await commits.fetch(mark.merge)) return recomputedPlan(doors, mark);
  const gone = { gone: `its trial merge ${mark.merge.slice(0, 12)} is no longer there` };
  if (mark.base !== null && !(await commits.fetch(mark.base))) return gone;
  if (!(await commits.fetch(mark.head))) return gone;
  const upToDate = mark.base === null || (await repository.lineage(mark.head, mark.base)).descends;
  return upToDate ? recomputedPlan(doors, { ...mark, merge: mark.head }) : gone;
}
