import {
  EFFECT_FAILURES,
  type EffectFailure,
  type NodeFence,
  type RunRecord,
  type StepResult,
} from "../model/node-facts.ts";
import { parseFence } from "./fence.ts";
import { textOf } from "./latin1.ts";

/**
 * What a run leaves on the node and prints, one line a fact; written by runner.ts:
 *
 *     run EPOCH RUN_ID
 *     start INDEX
 *     end INDEX done
 *     end INDEX failed STATUS CODE        CODE is - when the step named none
 *     log WORDS                           the failing tool's last words, a line each
 *     end INDEX skipped blocked|fenced
 *     fenced EPOCH RUN_ID                 a newer run took the node over
 *     ended
 *
 * A line counts once its newline is there, so that a torn last line is harmless.
 */
export interface RunOutcome {
  readonly run: NodeFence | null;
  readonly ended: boolean;
  /** A newer run took the node over while the steps ran; `fencedBy` says which, where the node could tell. */
  readonly fenced: boolean;
  readonly fencedBy: NodeFence | null;
  /** Of the steps that were begun or left out, in order of their index. */
  readonly steps: readonly StepResult[];
}

export function parseOutcome(latin1: string): RunOutcome {
  const steps = new Map<number, StepResult>();
  const words = new Map<number, string[]>();
  let run: NodeFence | null = null;
  let fencedBy: NodeFence | null = null;
  let fenced = false;
  let ended = false;
  let last: number | null = null;

  for (const line of latin1.split("\n").slice(0, -1)) {
    const [kind, first = "", state = "", status = "", code = ""] = line.split(" ");
    const index = /^\d{1,9}$/.test(first) ? Number(first) : null;
    if (kind === "run") run = parseFence(line.slice(4));
    else if (kind === "fenced") {
      fenced = true;
      fencedBy = parseFence(line.slice(7));
    } else if (kind === "ended") ended = true;
    else if (kind === "start" && index !== null) steps.set(index, { index, state: "cut-off", code: null, detail: "" });
    else if (kind === "end" && index !== null) {
      steps.set(index, stepResult(index, state, status, code));
      last = index;
    } else if (kind === "log" && last !== null) words.set(last, [...(words.get(last) ?? []), line.slice(4)]);
  }

  const complete = [...steps.values()].map((step) => withWords(step, words.get(step.index) ?? []));
  return { run, ended, fenced, fencedBy, steps: complete.sort((a, b) => a.index - b.index) };
}

/** The record that the next connection reads; null when there is none, or it is not ours. */
export function runRecord(outcome: RunOutcome): RunRecord | null {
  if (outcome.run === null) return null;
  return { ...outcome.run, ended: outcome.ended, steps: outcome.steps };
}

/**
 * `rc_read_progress`: sets `rc_progress` to what {@link progressOf} makes of the record that the last run has left, or to
 * nothing. Two that are equal are of one run that has recorded nothing in between.
 */
export const READ_PROGRESS = `rc_read_progress() {
rc_progress='' rc_lines=0
{ read -r rc_last <"$rc_state/last"; } 2>/dev/null || return 0
[ -r "$rc_state/runs/$rc_last/outcome" ] || return 0
while read -r rc_word rc_rest; do
case $rc_word in
run) rc_progress=$rc_rest ;;
start | end | ended) rc_lines=$((rc_lines + 1)) ;;
esac
done <"$rc_state/runs/$rc_last/outcome"
[ -z "$rc_progress" ] || rc_progress="$rc_progress $rc_lines"
}`;

export function progressOf(record: RunRecord | null): string {
  if (record === null) return "";
  const lines = record.steps.map(({ state }) => (state === "done" || state === "failed" ? 2 : 1));
  const total = lines.reduce((sum, count) => sum + count, record.ended ? 1 : 0);
  return `${record.epoch} ${record.runId} ${total}`;
}

function stepResult(index: number, state: string, status: string, code: string): StepResult {
  if (state === "done") return { index, state, code: null, detail: "" };
  if (state === "skipped") return { index, state, code: null, detail: SKIPPED[status] ?? "" };
  return { index, state: "failed", code: failureCode(code), detail: ending(Number(status)) };
}

const SKIPPED: Readonly<Record<string, string>> = {
  blocked: "a step before it failed, of its role or of one that its role requires",
  fenced: "a newer run took the node over",
};

function failureCode(code: string): EffectFailure {
  return EFFECT_FAILURES.find((known) => known === code) ?? "command-failed";
}

/** How it ended, for when it said nothing; a signal is worth saying always. */
function ending(status: number): string {
  return status > 128 && status <= 192 ? `ended by signal ${status - 128}` : `exit status ${status}`;
}

function withWords(step: StepResult, lines: readonly string[]): StepResult {
  if (step.state !== "failed") return step;
  const said = printable(textOf(lines.join("\n")))
    .trim()
    .slice(-2000);
  if (said === "") return step;
  const signalled = step.code === "command-failed" && step.detail.startsWith("ended by signal");
  return { ...step, detail: signalled ? `${said}\n${step.detail}` : said };
}

/** Without the control characters by which a node could write on the reader's terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd");
}
