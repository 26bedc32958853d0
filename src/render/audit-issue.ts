import type { AuditFinding } from "../plan/audit-findings.ts";
import type { AuditView } from "./audit.ts";
import { markdownCode, markdownText } from "./markdown-text.ts";
import { shownMoment } from "./moment.ts";
import { cut } from "./plan-comment-words.ts";
import { plural } from "./plan-words.ts";

/** The first line of the audit's one issue (DESIGN §6). */
export const AUDIT_MARK = "<!-- rollcall:audit -->";

export interface AuditFrame {
  /** The run's page; null: there is none. */
  readonly run: string | null;
  readonly at: Date;
  /** How the verb ended. */
  readonly exitCode: number;
}

interface Detail {
  /** Of each list. */
  readonly lines: number;
  /** Of one text that somebody else wrote. */
  readonly characters: number;
}

/** From everything to what always fits. */
const STAGES: readonly Detail[] = [
  { lines: 5000, characters: 1000 },
  { lines: 1000, characters: 300 },
  { lines: 300, characters: 200 },
  { lines: 100, characters: 160 },
  { lines: 30, characters: 120 },
  { lines: 8, characters: 80 },
  { lines: 0, characters: 80 },
];

/** Whether people have to be told: something changed on a node, is silent, stale or broken, or nothing was proved. */
export function isAlert(view: AuditView): boolean {
  const { corrective, intentional, hadRecord, silence, verdicts, damaged, unread, nothing } = view;
  return (
    corrective.length > 0 ||
    (!hadRecord && intentional.length > 0) ||
    silence.length > 0 ||
    unread.length > 0 ||
    nothing !== null ||
    damaged.length > 0 ||
    verdicts.some(({ standing }) => standing !== "live")
  );
}

export function auditTitle(view: AuditView): string {
  const drifted = new Set(view.corrective.map(({ node }) => node)).size;
  const parts = [
    ...(drifted === 0 ? [] : [`${plural(drifted, "node")} changed`]),
    ...(view.hadRecord || view.intentional.length === 0 ? [] : ["nodes differ, and there is no record"]),
    ...(view.silence.length === 0 ? [] : [`${view.silence.length} silent`]),
    ...(view.unread.length > view.silence.length ? [`${view.unread.length} not read`] : []),
    ...(view.damaged.length === 0 ? [] : ["the record is damaged"]),
  ];
  return `Audit: ${parts.length === 0 ? (view.nothing ?? "look at it") : parts.join(", ")}`;
}

/**
 * The audit's issue: what changed on nodes apart from what is not rolled out yet, then who is silent and which verdicts no
 * longer hold. At most `limit` UTF-16 units: long lists are counted, the most telling ones last.
 */
export function auditIssue(view: AuditView, frame: AuditFrame, limit: number): string {
  let text = "";
  for (const detail of STAGES) {
    text = withDetail(view, frame, detail);
    if (text.length <= limit) return text;
  }
  throw new Error(`no stage of the audit's issue fits into ${limit} characters: ${text.length}`);
}

/** What a closed issue says. */
export function auditOver(view: AuditView, { run, at }: AuditFrame): string {
  const where = run === null ? "" : ` ([run](${run}))`;
  const words = `The audit of ${shownMoment(at.toISOString())}${where} found all ${plural(view.outcomes.length, "node")} in order.`;
  return [AUDIT_MARK, words, ""].join("\n");
}

function withDetail(view: AuditView, { run, at }: AuditFrame, detail: Detail): string {
  const { corrective, intentional, silence, verdicts, damaged, expiredIgnores, nothing, recorded, hadRecord } = view;
  const facts = [
    `Audit of ${shownMoment(at.toISOString())}`,
    `generation ${view.generation}`,
    plural(view.outcomes.length, "node"),
    ...(run === null ? [] : [`[run](${run}), with the full reports`]),
  ];
  const stale = verdicts.filter(({ standing }) => standing !== "live");
  const text = (words: string): string => markdownText(cut(words, detail.characters));
  return [
    AUDIT_MARK,
    facts.join(" · "),
    ...(nothing === null ? [] : ["", `**${text(nothing)}**`]),
    ...(recorded.ok === false
      ? ["", `> [!WARNING]\n> Not recorded: **${recorded.code}** ${text(recorded.message)}. ${text(recorded.hint)}`]
      : []),
    ...section(
      "Changed on the node: `rollcall apply NODE` puts it back, a pull request keeps it",
      corrective,
      detail,
      finding,
    ),
    ...section(
      hadRecord
        ? "Not rolled out yet, because desired state changed: nobody has to do anything here"
        : "Differs, and there is no record of what was proved",
      intentional,
      detail,
      finding,
    ),
    ...section(
      "Silent",
      silence,
      detail,
      ({ node, reason, since, detail: why, hint }) =>
        `${markdownCode(node)} **${reason}** since ${since === null ? "ever" : shownMoment(since)}: ${text(why)} → ${text(hint)}`,
    ),
    ...section(
      "Down by a verdict that no longer holds",
      stale,
      detail,
      ({ node, standing, reason, by, message, hint }) =>
        `${markdownCode(node)} **${text(standing)}** "${text(reason)}" (${text(by)}): ${text(message)} → ${text(hint)}`,
    ),
    ...section(
      "Ignored no longer: its day has passed",
      expiredIgnores,
      detail,
      ({ host, resource, reason, until }) =>
        `${markdownCode(host)} ${markdownCode(cut(resource, detail.characters))} "${text(reason)}" until ${text(until)}`,
    ),
    ...section(
      "Damaged in the record",
      damaged,
      detail,
      ({ path, message }) => `${markdownCode(cut(path, detail.characters))} ${text(message)}`,
    ),
    "",
    "<sub>Edited by each audit, and closed by the first that finds everything in order.</sub>",
    "",
  ].join("\n");

  function finding({ node, unit, item }: AuditFinding): string {
    const { action_to_apply: action, resource, discovered_at: since } = item;
    const codes = action.params?.reasons;
    const reasons = Array.isArray(codes) ? ` (${text(codes.join(", "))})` : "";
    const seen = since === undefined ? "" : `, since ${shownMoment(since)}`;
    return `${markdownCode(node)} ${markdownCode(unit)} ${markdownCode(cut(resource.id, detail.characters))}: ${action.verb}${reasons}${seen}`;
  }
}

function section<Row>(
  title: string,
  rows: readonly Row[],
  { lines }: Detail,
  line: (row: Row) => string,
): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length - lines;
  const rest =
    more > 0 ? [`- ${lines === 0 ? "" : "and "}${more}${lines === 0 ? "" : " more"}, in the run's artifact`] : [];
  return ["", `#### ${title} (${rows.length})`, "", ...rows.slice(0, lines).map((row) => `- ${line(row)}`), ...rest];
}
