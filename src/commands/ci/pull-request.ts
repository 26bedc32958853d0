import { loadDesired } from "../../desired/load-desired.ts";
import { sha256Hex } from "../../kit/digest.ts";
import { stableJson } from "../../kit/stable-json.ts";
import { FORGE_BODY_LIMIT, type ForgeComment } from "../../model/forge.ts";
import type { PlanDocument } from "../../model/plan-document.ts";
import type { WorkflowEvent } from "../../model/workflow-event.ts";
import type { Forge } from "../../ports/forge.ts";
import type { RemoteCommits } from "../../ports/remote-commits.ts";
import type { WorkflowRun } from "../../ports/workflow-run.ts";
import { PLAIN } from "../../render/paint.ts";
import { renderPlan } from "../../render/plan.ts";
import { planAnnotations } from "../../render/plan-annotations.ts";
import { planComment } from "../../render/plan-comment.ts";
import type { LastLook, PlanFrame } from "../../render/plan-comment-frame.ts";
import { PLAN_MARK, readPlanMark } from "../../render/plan-mark.ts";
import { planSummary } from "../../render/plan-summary.ts";
import { visible } from "../../render/visible.ts";
import { type PlanDoors, planDocumentOf } from "../plan-document-of.ts";
import { type CommandResult, EXIT, refused } from "../result.ts";
import { withConflicts } from "./change-conflicts.ts";
import { lastLook } from "./last-look.ts";
import { failure, type Posting, postPlan } from "./post-plan.ts";
import { type PullSubject, subjectOf } from "./pull-request-subject.ts";
import { atCommit } from "./recomputed-plan.ts";

export interface PullRequestDoors extends Omit<PlanDoors, "open"> {
  readonly event: WorkflowEvent;
  readonly run: WorkflowRun;
  /** null: there is nobody to tell; why is in `forgeProblem`. */
  readonly forge: Forge | null;
  readonly forgeProblem: string;
  readonly commits: RemoteCommits;
  /** Address of the forge's pages of the repository; null: not known. */
  readonly pages: string | null;
}

type TellingDoors = Omit<PullRequestDoors, "event">;

export interface PullRequestWish {
  /** After the pull request's own run, which may not write: told, and nothing is judged. */
  readonly fromRun: boolean;
  /** Milliseconds between scheduled runs; null: not known. */
  readonly scheduleMs: number | null;
}

/** More open pull requests than these are not compared with. */
const MOST_OTHERS = 30;

/**
 * `ci pull-request` (DESIGN §6): what a merge would do, told in one comment, beside the lines and in the summary. 0, or 2 when
 * something blocks it; that nobody could be told never changes that. After another run it is 0: the check is that run.
 */
export async function runCiPullRequest(doors: PullRequestDoors, wish: PullRequestWish): Promise<CommandResult> {
  const { run } = doors;
  const answer = await subjectOf({ ...doors, actor: run.actor }, wish.fromRun);
  if (answer.kind === "refused")
    return told(run, refused(answer.refusal, exitOf(answer.refusal)), answer.refusal.message);
  if (answer.kind === "nothing") return nothing(answer.why);
  return planAndTell(doors, answer.subject, wish);
}

/** The plan of one subject, told everywhere; also for who asks for it anew. */
export async function planAndTell(
  doors: PullRequestDoors,
  subject: PullSubject,
  wish: PullRequestWish,
): Promise<CommandResult> {
  const { run } = doors;
  const planned = await plannedAs(doors, subject, wish);
  if ("refusal" in planned) return told(run, refused(planned.refusal, planned.exitCode), planned.refusal.message);
  const { document, notes } = await comparedWithOthers(doors, subject, planned.document);
  const frame = { ...frameOf(doors, subject, document), notes: [...subject.notes, ...notes] };
  const posting = await tellPullRequest(doors, subject, document, frame);
  if (posting.kind === "failed") warn(run, `the plan comment: ${posting.problem}`);
  const trouble = [
    ...notes,
    ...(posting.kind === "failed" ? [`The comment could not be written: ${posting.problem}`] : []),
  ];
  await run.document("plan.json", document);
  await run.document("plan.md", planSummary(document, frame, []));
  await run.summary(planSummary(document, frame, trouble));
  await run.output("blocked", String(document.blocks.length > 0));
  await run.output("decisions", String(document.decisions.length));
  run.group("The plan", renderPlan(document, PLAIN));
  for (const annotation of wish.fromRun ? [] : planAnnotations(document)) run.annotate(annotation);
  return resultOf(document, posting, wish);
}

async function plannedAs(doors: TellingDoors, { merge, base }: PullSubject, { scheduleMs }: PullRequestWish) {
  const { history, simulator, clock, repository } = doors;
  // The record that the base names: a change must not choose whose word it is planned by.
  const files = base === null ? undefined : await repository.at(base);
  const named = files === undefined ? undefined : loadDesired(files).state?.fleet.observedBranch;
  const store = (branch: string) => doors.store(named ?? branch);
  const all = { repository: atCommit(repository, merge), history, simulator, clock, store, open: null };
  return planDocumentOf(all, { base, scheduleMs });
}

/** Units with the open pull requests that touch the same; a note where they could not be asked. */
async function comparedWithOthers({ forge, run }: TellingDoors, subject: PullSubject, document: PlanDocument) {
  if (forge === null || subject.into === null || document.units.length === 0) return { document, notes: [] };
  const others = await forge.openPullRequests(subject.into, MOST_OTHERS);
  if (others.kind === "failed") {
    warn(run, `other pull requests could not be read: ${others.code}: ${others.message}`);
    return { document, notes: ["Other open pull requests could not be read, so that no conflict with them is shown."] };
  }
  const rest = others.value.filter(({ number }) => number !== subject.number);
  return { document: withConflicts(document, rest), notes: [] };
}

function frameOf({ run, pages }: TellingDoors, subject: PullSubject, document: PlanDocument): PlanFrame {
  const { base, head, merge, notes } = subject;
  const digest = sha256Hex(stableJson(document));
  return {
    mark: { base, head, merge, observed: document.observed.commit, digest },
    run: run.url,
    files: pages === null ? null : `${pages}/blob/${head}`,
    notes,
    look: { kind: "first" },
  };
}

async function tellPullRequest(
  doors: TellingDoors,
  { number, teller, head }: PullSubject,
  document: PlanDocument,
  frame: PlanFrame,
): Promise<Posting> {
  const { forge, run } = doors;
  if (number === null || teller === "nobody") return { kind: "left", why: "there is no pull request to tell" };
  if (teller === "later-run")
    return { kind: "left", why: "this run may not write; the workflow after it writes the comment" };
  if (forge === null) return { kind: "failed", problem: doors.forgeProblem };
  const pull = await forge.pullRequest(number);
  if (pull.kind === "failed") return failure(pull);
  if (pull.value.state !== "open") return { kind: "left", why: `the pull request is ${pull.value.state}` };
  if (pull.value.headSha !== head)
    return { kind: "left", why: "the pull request has moved on; its newest commit has a run of its own" };
  const known = await forge.findComment(number, PLAN_MARK);
  if (known.kind === "failed") return failure(known);
  const { mark } = frame;
  const before = known.value === null ? undefined : readPlanMark(known.value.body);
  if (mark !== null && before?.digest === mark.digest && before.head === mark.head) {
    return { kind: "left", why: "it says so already" };
  }
  const look = await lookAt(doors, known.value, document, frame);
  const body = planComment(document, { ...frame, look }, FORGE_BODY_LIMIT);
  await run.document("comment.md", body);
  return postPlan(forge, number, body, known.value);
}

async function lookAt(
  doors: TellingDoors,
  known: ForgeComment | null,
  document: PlanDocument,
  { mark }: PlanFrame,
): Promise<LastLook> {
  if (known === null || mark === null) return { kind: "first" };
  const before = readPlanMark(known.body);
  if (before === undefined)
    return { kind: "gone", head: mark.head, why: "the comment did not say what it was made from" };
  return lastLook(doors, before, mark, document);
}

function resultOf(document: PlanDocument, posting: Posting, { fromRun }: PullRequestWish): CommandResult {
  const { blocks } = document;
  const [first] = blocks;
  const comment =
    posting.kind === "posted"
      ? posting.url
      : posting.kind === "left"
        ? `not written, ${posting.why}`
        : `failed, ${posting.problem}`;
  const ending =
    first === undefined
      ? "the plan is ready"
      : `blocked by ${first.code}${blocks.length > 1 ? ` and ${blocks.length - 1} more` : ""}: ${first.message} → ${first.hint}`;
  return {
    exitCode: first === undefined || fromRun ? EXIT.ok : EXIT.refused,
    document: { ok: first === undefined, comment: posting, plan: document },
    text: () => `comment: ${oneLine(comment)}\n${oneLine(ending)}\n`,
  };
}

/** A call from the wrong place is a usage error; anything else could not be had this time. */
function exitOf({ code }: { readonly code: string }): number {
  return code === "event" ? EXIT.usage : EXIT.failed;
}

function nothing(why: string): CommandResult {
  return { exitCode: EXIT.ok, document: { ok: true, nothing: why }, text: () => `nothing to do: ${oneLine(why)}\n` };
}

function told(run: WorkflowRun, result: CommandResult, message: string): CommandResult {
  run.annotate({ level: "error", title: "rollcall", text: message, file: null, line: null });
  return result;
}

function warn(run: WorkflowRun, text: string): void {
  run.annotate({ level: "warning", title: "rollcall", text, file: null, line: null });
}

/** The runner reads commands in the log: an older form of them anywhere in a line. */
function oneLine(text: string): string {
  return visible(text).replaceAll("##[", "## [");
}
