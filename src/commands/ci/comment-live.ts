import { Trouble } from "../../kit/trouble.ts";
import { FORGE_BODY_LIMIT } from "../../model/forge.ts";
import type { PlanDocument } from "../../model/plan-document.ts";
import { renderCommentAnswer } from "../../render/comment-answer.ts";
import { markdownCode, markdownText } from "../../render/markdown-text.ts";
import { PLAIN } from "../../render/paint.ts";
import { planComment } from "../../render/plan-comment.ts";
import { mergedState } from "../merged-state.ts";
import { type PlanDoors, planDocumentOf } from "../plan-document-of.ts";
import { type CommandResult, EXIT, refused } from "../result.ts";
import type { OpenRun } from "../run-over-nodes.ts";
import { type GuardedRun, guardedRun } from "./guarded-run.ts";
import {
  type CommentDoors,
  cannot,
  type Heard,
  heardComment,
  isAnswer,
  nothing,
  posted,
  said,
} from "./heard-comment.ts";
import { type SubjectDoors, trialSubject } from "./pull-request-subject.ts";
import { atCommit } from "./recomputed-plan.ts";

export interface CiLiveDoors extends CommentDoors, Omit<PlanDoors, "open"> {
  readonly open: OpenRun;
  readonly commits: SubjectDoors["commits"];
}

/**
 * `ci comment --live`: the plan of a pull request with what its nodes are now (DESIGN §6), by `main`'s code and over
 * {@link guardedRun}; what the pull request wrote is data. One answer of its own. 0 answered · 1 not to be had.
 */
export async function runCiLiveComment(doors: CiLiveDoors): Promise<CommandResult> {
  const heard = await heardComment(doors);
  if (isAnswer(heard)) return heard;
  if (heard.command.kind !== "plan" || !heard.command.live || !heard.onPullRequest)
    return nothing("it asks for no live plan");
  const outcome = await livePlan(doors, heard);
  await heard.forge.react(heard.comment, "result" in outcome ? "-1" : "+1");
  if ("result" in outcome) {
    const output = outcome.result.text(PLAIN);
    return posted(heard, { to: heard.comment, headline: "There is no live plan:", output, after: [] }, outcome.result);
  }
  await doors.run.document("plan-live.json", outcome.document);
  const answer = liveAnswer(heard.comment, outcome, doors.run.url);
  const result = said(EXIT.ok, { answered: true, live: true }, `posted the live plan of #${heard.number}`);
  return posted(heard, answer, result);
}

interface LivePlan {
  readonly document: PlanDocument;
  readonly unread: GuardedRun["unread"];
  readonly head: string;
}

async function livePlan(doors: CiLiveDoors, { forge, number }: Heard): Promise<LivePlan | { result: CommandResult }> {
  const pull = await forge.pullRequest(number);
  if (pull.kind === "failed") return { result: cannot(pull.code, pull.message, `${pull.hint}; then comment again`) };
  if (pull.value.state !== "open")
    return { result: cannot("not-open", `it is ${pull.value.state}`, "rollcall plan --live, on main") };
  try {
    const change = await trialSubject(pull.value, doors.commits);
    if (change.kind === "refused") return { result: refused(change.refusal, EXIT.failed) };
    if (change.kind === "nothing")
      return { result: cannot("no-change", change.why, "resolve its conflicts if it has any") };
    const { merge, base, head } = change.subject;
    const main = await mergedState(doors.repository);
    if ("exitCode" in main) return { result: { ...main, exitCode: EXIT.failed } };
    const { fleet } = main.state;
    const guarded = guardedRun(doors.open(fleet.rollout.parallel), main.state);
    const answer = await planDocumentOf(
      {
        ...doors,
        repository: atCommit(doors.repository, merge),
        // The record that main names: a change must not choose whose word it is planned by.
        store: () => doors.store(fleet.observedBranch),
        open: () => guarded.run,
      },
      { base, scheduleMs: null },
    );
    if ("refusal" in answer) return { result: refused(answer.refusal, EXIT.failed) };
    return { document: answer.document, unread: guarded.unread, head };
  } catch (error) {
    // Who asked must hear of it where they asked; anything else is a bug and ends in main.ts.
    if (!(error instanceof Trouble)) throw error;
    return { result: cannot(error.code, error.message, `${error.hint}; then comment again`) };
  }
}

/** More nodes than these are counted. */
const MOST_UNREAD = 30;

function liveAnswer(to: number, { document, unread, head }: LivePlan, run: string | null) {
  const asked = document.nodes.filter(({ basis }) => basis === "live").map(({ node }) => node);
  const others = document.nodes.filter(({ basis }) => basis !== "live").map(({ node }) => node);
  const lines = others
    .slice(0, MOST_UNREAD)
    .map((node) => `- ${markdownCode(node)}: ${markdownText(unread.get(node) ?? NOT_ASKED)}`);
  const more = others.length > MOST_UNREAD ? [`- and ${others.length - MOST_UNREAD} more`] : [];
  const list = others.length === 0 ? [] : [["Not read:", "", ...lines, ...more].join("\n")];
  const nodes = `${asked.length} of ${document.nodes.length} ${document.nodes.length === 1 ? "node" : "nodes"}`;
  const headline = `**Live plan** of ${markdownCode(head.slice(0, 7))}: ${nodes} read just now, nothing changed. What stands in files on nodes is not shown here.`;
  const start = renderCommentAnswer({ to, headline, output: null, after: list });
  const frame = { mark: null, run, files: null, notes: [], look: { kind: "first" as const } };
  const plan = planComment(document, frame, FORGE_BODY_LIMIT - start.length - 100);
  return { to, headline, output: null, after: [...list, plan] };
}

const NOT_ASKED = "nothing is to be done there now, or it did not answer";
