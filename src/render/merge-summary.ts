import { markdownCode, markdownText } from "./markdown-text.ts";
import { cut } from "./plan-comment-words.ts";

/** How a unit stands in a merge run. */
export interface MergeRow {
  readonly unit: string;
  readonly state: string | null;
  readonly next: string;
  /** Counted from 1, of the waves of the round; null: there is no round. */
  readonly wave: number | null;
  readonly waves: number;
  readonly applied: number;
  readonly targets: number;
  readonly failed: readonly { readonly node: string; readonly outcome: string; readonly message: string }[];
  readonly detail: string;
  readonly hint: string;
  readonly escapes: readonly { readonly gate: string; readonly reason: string; readonly by: string }[];
}

/** A merge run for the step's summary, while it is at work and when it is over. */
export interface MergeView {
  readonly generation: number | null;
  readonly commit: string | null;
  /** One line: where it stands, or what it came to. */
  readonly standing: string;
  /** What a person is to do; empty: nothing. */
  readonly todo: readonly string[];
  readonly rows: readonly MergeRow[];
  readonly pullRequests: readonly { readonly number: number; readonly url: string }[];
  readonly escalations: readonly MergeEscalation[];
  /** Why they were accepted; null: they were not, or there are none. */
  readonly accepted: string | null;
  readonly moved: readonly {
    readonly unit: string;
    readonly node: string;
    readonly subject: string;
    readonly text: string;
  }[];
  /** Sentences. */
  readonly notes: readonly string[];
  readonly problems: readonly {
    readonly what: string;
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  }[];
}

export interface MergeEscalation {
  readonly code: string;
  readonly unit: string;
  readonly nodes: readonly string[];
  readonly text: string;
}

/** Rows of each list; the artifact has all. */
const MOST = 100;

export function mergeSummary(view: MergeView): string {
  const { generation, commit, standing, todo, rows, pullRequests, notes } = view;
  const place =
    generation === null || commit === null ? "" : ` · generation ${generation} at ${markdownCode(commit.slice(0, 12))}`;
  const merges = pullRequests.map(({ number, url }) => `[#${number}](${url})`).join(", ");
  return [
    `### rollcall reconcile${place}`,
    "",
    `**${markdownText(standing)}**`,
    ...(todo.length === 0 ? [] : ["", ...todo.map((line) => `- → ${markdownCode(line)}`)]),
    ...escalationLines(view),
    ...(rows.length === 0 ? [] : ["", ...table(rows)]),
    ...rows.flatMap(failures),
    ...escapeLines(rows),
    ...movedLines(view),
    ...(merges === "" ? [] : ["", `Merged: ${merges}`]),
    ...(notes.length === 0 ? [] : ["", ...bounded(notes).map((note) => `- ${markdownText(note)}`)]),
    ...problemLines(view),
    "",
  ].join("\n");
}

function table(rows: readonly MergeRow[]): readonly string[] {
  return [
    "| unit | stands | wave | applied | failed | |",
    "|---|---|--:|--:|--:|---|",
    ...rows.slice(0, MOST).map((row) => {
      const wave = row.wave === null ? "" : `${row.wave} of ${row.waves}`;
      const cells = [
        markdownCode(row.unit),
        `**${standsAs(row)}**`,
        wave,
        `${row.applied} of ${row.targets}`,
        String(row.failed.length),
        markdownText(cut(row.detail, 300)),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    ...(rows.length > MOST ? ["", `and ${rows.length - MOST} further units`] : []),
  ];
}

/** One word for how it is: of what goes on its state, else what keeps it back. */
export function standsAs({ state, next }: Pick<MergeRow, "state" | "next">): string {
  switch (next) {
    case "nothing":
      return state ?? "in";
    case "observe":
      return "only observed";
    case "continue":
    case "stopped":
      return state ?? next;
    case "start":
      return "due";
    default:
      return next;
  }
}

function failures({ unit, failed }: MergeRow): readonly string[] {
  if (failed.length === 0) return [];
  return ["", `${markdownCode(unit)} failed on:`, "", ...bounded(failed.map(failureLine))];
}

export function failureLine({ node, outcome, message }: MergeRow["failed"][number]): string {
  return `- ${markdownCode(node)} **${markdownText(outcome)}** ${markdownText(cut(message, 400))}`.trimEnd();
}

function escapeLines(rows: readonly MergeRow[]): readonly string[] {
  const told = rows.flatMap(({ unit, escapes }) =>
    escapes.map(
      ({ gate, reason, by }) =>
        `- **ESCAPE** ${markdownCode(unit)} past ${markdownText(gate)}: "${markdownText(cut(reason, 400))}" (${markdownText(by)})`,
    ),
  );
  return told.length === 0 ? [] : ["", ...bounded(told)];
}

export function escalationLines({
  escalations,
  accepted,
}: Pick<MergeView, "escalations" | "accepted">): readonly string[] {
  if (escalations.length === 0) return [];
  const head =
    accepted === null ? "Not reviewed:" : `Not reviewed, and accepted: "${markdownText(cut(accepted, 400))}"`;
  const lines = escalations.map(
    ({ code, unit, nodes, text }) =>
      `- **${code}** ${markdownCode(unit)}: ${markdownText(cut(text, 400))}${nodes.length === 0 ? "" : ` (${markdownCode(some(nodes))})`}`,
  );
  return ["", head, "", ...bounded(lines)];
}

function movedLines({ moved }: MergeView): readonly string[] {
  if (moved.length === 0) return [];
  const lines = moved.map(
    ({ unit, node, subject, text }) =>
      `- ${markdownCode(unit)} ${markdownCode(node)} ${markdownCode(cut(subject, 200))}: ${markdownText(cut(text, 200))}`,
  );
  return ["", "Moved since the review, and goes on:", "", ...bounded(lines)];
}

function problemLines({ problems }: MergeView): readonly string[] {
  if (problems.length === 0) return [];
  const lines = problems.map(
    ({ what, code, message, hint }) =>
      `> ${markdownText(what)}: **${code}** ${markdownText(cut(message, 300))}. ${markdownText(hint)}`,
  );
  return [
    "",
    "> [!WARNING]",
    "> Not everything could be told on GitHub; the run itself is not touched by it.",
    ...bounded(lines, "> "),
  ];
}

function bounded(lines: readonly string[], lead = ""): readonly string[] {
  const more = lines.length - MOST;
  return more <= 0 ? lines : [...lines.slice(0, MOST), `${lead}and ${more} more, which the artifact has`];
}

export function some(names: readonly string[]): string {
  return names.length > 8 ? `${names.slice(0, 8).join(" ")} and ${names.length - 8} more` : names.join(" ");
}
