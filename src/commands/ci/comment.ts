import { Trouble } from "../../kit/trouble.ts";
import { type CommentAnswer, renderCommandTable } from "../../render/comment-answer.ts";
import { markdownCode, markdownText } from "../../render/markdown-text.ts";
import { PLAIN } from "../../render/paint.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "../result.ts";
import { runRolloutStatus } from "../rollout-read.ts";
import { runRolloutSignal, type Word } from "../rollout-signal.ts";
import { type RolloutDoors, readRollouts } from "../rollout-view.ts";
import { COMMAND_ROWS, type CommentCommand } from "./comment-command.ts";
import { cannot, type Heard, heardComment, isAnswer, posted, said } from "./heard-comment.ts";
import type { Posting } from "./post-plan.ts";
import { type PullRequestDoors, planAndTell } from "./pull-request.ts";
import { trialSubject } from "./pull-request-subject.ts";

export interface CiCommentDoors extends PullRequestDoors {
  readonly store: RolloutDoors["store"];
}

export interface CommentWish {
  /** Milliseconds between scheduled runs; null: not known. A plan posted anew is to be the same as the one before. */
  readonly scheduleMs: number | null;
}

/** The file of the merge run in a fleet repository; what it is called in docs/github. */
const RECONCILE_WORKFLOW = "reconcile.yml";

/** Words after which there is something for a run to do. */
const MOVES_ON: ReadonlySet<Word["say"]> = new Set(["resume", "force", "skip", "retry", "start"]);

/**
 * `ci comment`: one `/rollcall …` (DESIGN §6). A reaction at once, the word through the same code as `rollcall rollout …`,
 * one answer. The same event twice is one word and one answer. 0 answered, or nothing to do · 1 GitHub or the record could
 * not be reached · 2 refused, as `rollout` refuses.
 */
export async function runCiComment(doors: CiCommentDoors, wish: CommentWish): Promise<CommandResult> {
  const heard = await heardComment(doors);
  if (isAnswer(heard)) return heard;
  await heard.forge.react(heard.comment, "eyes");
  if (heard.command.kind === "plan" && heard.command.live) return askForLive(doors, heard);
  const outcome = await carriedOut(doors, heard, wish);
  const { exitCode } = outcome.result;
  await heard.forge.react(heard.comment, exitCode === EXIT.ok ? "+1" : "-1");
  const { headline, output, after, result } = outcome;
  return posted(heard, { to: heard.comment, headline, output, after }, result);
}

interface Outcome extends Omit<CommentAnswer, "to"> {
  readonly result: CommandResult;
}

async function carriedOut(doors: CiCommentDoors, heard: Heard, wish: CommentWish): Promise<Outcome> {
  const { command } = heard;
  try {
    switch (command.kind) {
      case "help": {
        const result = said(EXIT.ok, { answered: true, command: "help" }, "showed the commands");
        return {
          headline: "What can be asked for here:",
          output: null,
          after: [renderCommandTable(COMMAND_ROWS)],
          result,
        };
      }
      case "unclear":
        return unclear(command);
      case "plan":
        return heard.onPullRequest ? await replanned(doors, heard, wish) : notHere();
      case "status":
        return printed(`\`status\` of ${markdownCode(command.unit)}:`, await runRolloutStatus(doors, command.unit));
      case "word":
        return await signalled(doors, heard, command);
    }
  } catch (error) {
    // Whoever asked must hear of it where they asked; anything else is a bug and ends in main.ts.
    if (!(error instanceof Trouble)) throw error;
    const { code, message, hint } = error;
    return printed("It could not be carried out:", cannot(code, message, `${hint}; then comment again`));
  }
}

async function signalled(
  doors: CiCommentDoors,
  { comment, author, forge }: Heard,
  command: Extract<CommentCommand, { kind: "word" }>,
): Promise<Outcome> {
  const { kind: _kind, ...asked } = command;
  const runId = `comment-${comment}`;
  const title = `${markdownCode(`${asked.say} ${asked.unit}`)}`;
  const { store } = await readRollouts(doors);
  // The answer of an earlier delivery got lost, or is about to come: a force said twice could open a second gate.
  if ((await store.read()).observed.paths.some((path) => path.endsWith(`/${runId}.jsonl`))) {
    const result = said(EXIT.ok, { answered: true, recorded: false, why: "recorded before" }, "it was recorded before");
    return { headline: `${title} is on the record already, from this very comment.`, output: null, after: [], result };
  }
  const result = await runRolloutSignal(doors, { ...asked, by: author, runId });
  if (result.exitCode !== EXIT.ok) return printed(`${title} was refused:`, result);
  const recorded = (result.document as { readonly recorded?: boolean }).recorded === true;
  const outcome = printed(recorded ? `${title} is on the record.` : `${title}: there was nothing to record.`, result);
  if (!MOVES_ON.has(asked.say)) return outcome;
  return { ...outcome, after: [await startedRun(doors, forge)] };
}

/** The next scheduled run would go on as well; people who speak wait for it now. */
async function startedRun({ repository, run }: CiCommentDoors, forge: Heard["forge"]): Promise<string> {
  const main = await repository.main();
  const branch = main?.branch.replace(/^origin\//, "") ?? "main";
  const started = await forge.dispatch(RECONCILE_WORKFLOW, branch, {});
  if (started.kind === "failed") {
    const text = `${RECONCILE_WORKFLOW} could not be started: ${started.message}`;
    run.annotate({ level: "warning", title: "rollcall", text, file: null, line: null });
    return `${markdownText(text)}. The next scheduled run goes on; or start it by hand, under Actions.`;
  }
  const id = started.value.run;
  const page = id === null || run.url === null ? null : run.url.replace(/[0-9]+$/, String(id));
  return page === null ? "A merge run was started." : `[A merge run](${page}) was started.`;
}

/** Reading nodes needs their key, which this job does not have: the next one does, and posts the answer. */
async function askForLive(doors: CiCommentDoors, heard: Heard): Promise<CommandResult> {
  if (!heard.onPullRequest) {
    const { result, ...answer } = notHere();
    await heard.forge.react(heard.comment, "-1");
    return posted(heard, { to: heard.comment, ...answer }, result);
  }
  await doors.run.output("live", "true");
  return said(EXIT.ok, { answered: false, live: true }, `a live plan of #${heard.number} follows in the next job`);
}

/** `ci pull-request` once more, from the trial merge as data. */
async function replanned(
  doors: CiCommentDoors,
  { forge, number }: Heard,
  { scheduleMs }: CommentWish,
): Promise<Outcome> {
  const pull = await forge.pullRequest(number);
  if (pull.kind === "failed")
    return printed(NO_PLAN, cannot(pull.code, pull.message, `${pull.hint}; then comment again`));
  if (pull.value.state !== "open")
    return printed(NO_PLAN, cannot("not-open", `it is ${pull.value.state}`, "rollcall plan, on main"));
  const change = await trialSubject(pull.value, doors.commits);
  if (change.kind === "refused") return printed(NO_PLAN, refused(change.refusal, EXIT.failed));
  if (change.kind === "nothing")
    return printed(NO_PLAN, cannot("no-change", change.why, "resolve its conflicts if it has any"));
  const result = await planAndTell(doors, change.subject, { fromRun: true, scheduleMs });
  const { comment } = result.document as { readonly comment?: Posting };
  if (comment === undefined) return printed(NO_PLAN, result);
  if (comment.kind === "failed") return printed(NO_PLAN, cannot("not-posted", comment.problem, "comment again"));
  const headline =
    comment.kind === "posted"
      ? `[The plan](${comment.url}) was posted anew.`
      : `The plan was not posted: ${markdownText(comment.why)}.`;
  return { headline, output: null, after: [], result };
}

const NO_PLAN = "There is no new plan:";

function notHere(): Outcome {
  return unclear({ message: "plan is about a pull request, and this is none", hint: "comment on the pull request" });
}

function unclear({ message, hint }: Omit<Refusal, "code">): Outcome {
  const result = refused({ code: "unclear", message, hint }, EXIT.refused);
  return { headline: "Nothing was done.", output: result.text(PLAIN), after: [], result };
}

function printed(headline: string, result: CommandResult): Outcome {
  return { headline, output: result.text(PLAIN), after: [], result };
}
