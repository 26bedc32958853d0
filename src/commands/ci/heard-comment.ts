import { mayWrite } from "../../model/forge.ts";
import type { WorkflowEvent } from "../../model/workflow-event.ts";
import type { Forge } from "../../ports/forge.ts";
import type { WorkflowRun } from "../../ports/workflow-run.ts";
import { answerMark, type CommentAnswer, renderCommentAnswer } from "../../render/comment-answer.ts";
import { markdownText } from "../../render/markdown-text.ts";
import { type CommandResult, EXIT, refused } from "../result.ts";
import { type CommentCommand, commentCommand } from "./comment-command.ts";

/** What both jobs of comment.yml go through to hear and to answer. */
export interface CommentDoors {
  readonly event: WorkflowEvent;
  readonly run: WorkflowRun;
  readonly forge: Forge | null;
  /** Why there is no forge, in one line. */
  readonly forgeProblem: string;
}

/** A command by somebody who may give it, not answered yet. */
export interface Heard {
  readonly forge: Forge;
  readonly command: CommentCommand;
  readonly comment: number;
  /** The issue or pull request that it stands under. */
  readonly number: number;
  readonly onPullRequest: boolean;
  readonly author: string;
}

/**
 * What the event's comment asks for, when it is one to act on: written now, by a person, a command, by somebody with write
 * permission (asked of the API each time), and not answered before. Everything else is an answer of the verb already.
 */
export async function heardComment(doors: CommentDoors): Promise<Heard | CommandResult> {
  const { event } = doors;
  if (event.name !== "issue_comment")
    return nothing(event.name === "unknown" ? event.why : `the event is ${event.name}`);
  const { action, issue, comment, sender } = event.payload;
  if (action !== "created") return nothing(`the comment was ${action}, and only a new one is a command`);
  const { user } = comment;
  if (user === null || isBot(user) || (sender !== undefined && isBot(sender))) return nothing("a bot wrote it");
  const command = commentCommand(comment.body ?? "");
  if (command === null) return nothing("it is no command");
  const { forge } = doors;
  if (forge === null) return cannot("no-forge", doors.forgeProblem, "set it, and run the job again");
  const author = user.login;
  const heard = { forge, command, comment: comment.id, number: issue.number, author };
  const before = await forge.findComment(issue.number, answerMark(comment.id));
  if (before.kind === "failed") return cannot(before.code, before.message, `${before.hint}; then run this job again`);
  if (before.value !== null) return nothing(`it was answered: ${before.value.url}`);
  const permission = await forge.permission(author);
  if (permission.kind === "failed") {
    const hint = `nothing was done, because nobody could say whether ${author} may; run this job again`;
    return cannot(permission.code, permission.message, hint);
  }
  if (mayWrite(permission.value)) return { ...heard, onPullRequest: issue.pull_request !== undefined };
  const headline = `Only people with write permission give commands here; ${markdownText(author)} has ${permission.value === "none" ? "none" : permission.value}.`;
  await forge.react(comment.id, "-1");
  const answer = { to: comment.id, headline, output: null, after: [] };
  return posted({ forge, number: issue.number }, answer, said(EXIT.ok, { answered: true, allowed: false }, headline));
}

/** Posts the one answer; when that fails the run is red and says what it would have said. */
export async function posted(
  { forge, number }: Pick<Heard, "forge" | "number">,
  answer: CommentAnswer,
  result: CommandResult,
): Promise<CommandResult> {
  const created = await forge.createComment(number, renderCommentAnswer(answer));
  if (created.kind === "ok") return result;
  const { code, message, hint } = created;
  return {
    exitCode: EXIT.failed,
    document: { ok: false, error: { code, message, hint }, outcome: result.document },
    text: (paint) =>
      `${result.text(paint)}${refused({ code, message: `the answer could not be posted: ${message}`, hint: `${hint}; what was done stands above` }, EXIT.failed).text(paint)}`,
  };
}

export function said(exitCode: number, document: object, text: string): CommandResult {
  return { exitCode, document, text: () => (text.endsWith("\n") ? text : `${text}\n`) };
}

export function nothing(why: string): CommandResult {
  return said(EXIT.ok, { answered: false, why }, `nothing to do: ${why}`);
}

export function cannot(code: string, message: string, hint: string): CommandResult {
  return refused({ code, message, hint }, EXIT.failed);
}

export function isAnswer(value: Heard | CommandResult): value is CommandResult {
  return "exitCode" in value;
}

function isBot({ login, type }: { readonly login: string; readonly type?: string | undefined }): boolean {
  return type === "Bot" || login.endsWith("[bot]");
}
