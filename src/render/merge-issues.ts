import { markdownCode, markdownText } from "./markdown-text.ts";
import { escalationLines, failureLine, type MergeEscalation, type MergeRow, some, standsAs } from "./merge-summary.ts";
import { shownMoment } from "./moment.ts";
import { cut } from "./plan-comment-words.ts";

/** An issue's text: `mark` is the first line of the body. */
export interface IssueText {
  readonly mark: string;
  readonly title: string;
  readonly body: string;
}

export interface RolloutIssueView extends MergeRow {
  /** `role:web@0123456789ab`. */
  readonly id: string;
  readonly round: number;
  readonly generation: number;
  readonly commit: string;
  readonly startedBy: string;
  readonly startedAt: string;
  readonly waitsFor: string | null;
  /** Commands that are allowed now, the most likely first. */
  readonly ways: readonly { readonly command: string; readonly effect: string }[];
  /** Names by wave. */
  readonly wavesOf: readonly (readonly string[])[];
  /** The newest run's page; null: there is none. */
  readonly run: string | null;
}

/** Lines of each list: far below GitHub's limit whatever their texts are. */
const MOST = 50;

function rolloutMark(id: string, round: number): string {
  return `<!-- rollcall:rollout id=${id} round=${round} -->`;
}

/** Rollout id and round of a tracking issue's first line; undefined: it is none. */
export function readRolloutMark(mark: string): { readonly id: string; readonly round: number } | undefined {
  const [, id, round] = /^<!-- rollcall:rollout id=(\S+) round=(\d+) -->$/.exec(mark) ?? [];
  return id === undefined ? undefined : { id, round: Number(round) };
}

/** The tracking issue of one round of a rollout (DESIGN §6). */
export function rolloutIssue(view: RolloutIssueView): IssueText {
  const { unit, id, round, generation, state } = view;
  const mark = rolloutMark(id, round);
  const facts = [
    `**${standsAs(view)}**`,
    `generation ${generation} at ${markdownCode(view.commit.slice(0, 12))}`,
    `round ${round}`,
    `begun by ${markdownText(cut(view.startedBy, 100))} ${shownMoment(view.startedAt)}`,
    ...(view.run === null ? [] : [`[newest run](${view.run})`]),
  ];
  const open = state === "paused" || state === "failed" || state === "canceled" || state === "rolled_back";
  const body = [
    mark,
    `${markdownCode(id)}: ${facts.join(" · ")}`,
    ...(view.waitsFor === null ? [] : ["", `Waits for ${markdownText(cut(view.waitsFor, 600))}.`]),
    ...(open && view.ways.length > 0
      ? ["", "What to type, here or on a machine with the repository:", "", ...wayLines(view.ways)]
      : []),
    "",
    `${view.applied} of ${view.targets} applied.`,
    "",
    ...view.wavesOf.slice(0, MOST).map((nodes, wave) => waveLine(nodes, wave, view.wave)),
    ...(view.wavesOf.length > MOST ? [`- and ${view.wavesOf.length - MOST} further waves`] : []),
    ...(view.failed.length === 0 ? [] : ["", "Failed:", "", ...view.failed.slice(0, MOST).map(failureLine)]),
    ...(view.failed.length > MOST ? [`- and ${view.failed.length - MOST} more, which the artifact has`] : []),
    ...view.escapes
      .slice(-MOST)
      .map(
        ({ gate, reason, by }) =>
          `\n**ESCAPE** past ${markdownText(gate)}: "${markdownText(cut(reason, 300))}" (${markdownText(by)})`,
      ),
    "",
  ].join("\n");
  return { mark, title: `Rollout of ${unit}, generation ${generation}${round === 1 ? "" : `, round ${round}`}`, body };
}

function wayLines(ways: RolloutIssueView["ways"]): readonly string[] {
  return ways.map(
    ({ command, effect }) =>
      `- ${markdownCode(command.replace(/^rollcall rollout /, "/rollcall "))}: ${markdownText(effect)}`,
  );
}

function waveLine(nodes: readonly string[], index: number, wave: number | null): string {
  const mark = wave === null || index + 1 < wave ? "through" : index + 1 === wave ? "at work or next" : "to come";
  return `- wave ${index + 1}, ${mark}: ${markdownCode(some(nodes))}`;
}

export interface Incident {
  readonly node: string;
  /** `fenced`, `identity-mismatch`, `duplicate-machine`, `unrecorded`. */
  readonly code: string;
  readonly message: string;
  readonly todo: string;
}

export function incidentMark({ node, code }: Pick<Incident, "node" | "code">): string {
  return `<!-- rollcall:incident code=${code} node=${node} -->`;
}

export function readIncidentMark(mark: string): Pick<Incident, "node" | "code"> | undefined {
  const [, code, node] = /^<!-- rollcall:incident code=(\S+) node=(\S+) -->$/.exec(mark) ?? [];
  return code === undefined || node === undefined ? undefined : { node, code };
}

export function incidentIssue(incident: Incident, run: string | null): IssueText {
  const { node, code, message, todo } = incident;
  const mark = incidentMark(incident);
  const body = [
    mark,
    `${markdownCode(node)}: **${markdownText(code)}**`,
    "",
    markdownText(cut(message === "" ? code : message, 2000)),
    "",
    `→ ${markdownText(todo)}`,
    ...(run === null
      ? []
      : ["", `[The run that saw it](${run}). Closed by the first run that finds the node in order.`]),
    "",
  ].join("\n");
  return { mark, title: `${node}: ${code}`, body };
}

export interface RefusalView {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly escalations: readonly MergeEscalation[];
  readonly notes: readonly string[];
  readonly run: string | null;
}

export const REFUSAL_MARK = "<!-- rollcall:refused -->";
/** Of the comment under a pull request. */
export const ESCALATION_MARK = "<!-- rollcall:escalation -->";

/** The one issue that says that merge runs are refused, and what mends it. */
export function refusalIssue(view: RefusalView): IssueText {
  const body = [REFUSAL_MARK, ...refusalLines(view), ""].join("\n");
  return { mark: REFUSAL_MARK, title: `The merge is not carried out: ${view.code}`, body };
}

export function escalationComment(view: RefusalView): string {
  return [ESCALATION_MARK, ...refusalLines(view), ""].join("\n");
}

/** What becomes of both when a run has gone on. */
export function resolvedText(mark: string, words: string, run: string | null): string {
  const where = run === null ? "" : ` ([run](${run}))`;
  return [mark, `${markdownText(cut(words, 1000))}${where}`, ""].join("\n");
}

function refusalLines({ code, message, hint, escalations, notes, run }: RefusalView): readonly string[] {
  return [
    `**Not carried out: ${code}.** ${markdownText(cut(message, 1000))}. No node was touched.`,
    ...escalationLines({ escalations: escalations.slice(0, MOST), accepted: null }),
    ...(escalations.length > MOST ? [`- and ${escalations.length - MOST} more`] : []),
    ...(notes.length === 0 ? [] : ["", ...notes.slice(0, 20).map((note) => `- ${markdownText(cut(note, 300))}`)]),
    "",
    `→ ${markdownText(cut(hint, 1000))}`,
    ...(run === null ? [] : ["", `[The run](${run})`]),
  ];
}
