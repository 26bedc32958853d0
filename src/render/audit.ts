import type { IgnoredDrift } from "../desired/desired-state.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { AuditFinding, AuditFindings } from "../plan/audit-findings.ts";
import type { AuditedSilence } from "../plan/audit-silence.ts";
import { columns } from "./columns.ts";
import type { FleetView } from "./fleet-result.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** What an audit found, as it is told to people. */
export interface AuditView extends AuditFindings {
  readonly generation: number;
  readonly outcomes: readonly NodeOutcome[];
  readonly silence: readonly AuditedSilence[];
  readonly verdicts: readonly VerdictView[];
  readonly damaged: readonly { readonly path: string; readonly message: string }[];
  readonly hadRecord: boolean;
  readonly recorded:
    | { readonly ok: true }
    | { readonly ok: null; readonly why: string }
    | { readonly ok: false; readonly code: string; readonly message: string; readonly hint: string };
  readonly unread: readonly string[];
  readonly nothing: string | null;
}

interface VerdictView {
  readonly node: string;
  readonly reason: string;
  readonly by: string;
  readonly since: string;
  readonly standing: string;
  readonly message: string;
  readonly hint: string;
}

/** Most telling first: what changed on nodes, what is not rolled out, who is silent, which verdicts stand; then one line in all. */
export function renderAudit(view: AuditView, { leftOut }: FleetView, paint: Paint): string {
  const { corrective, intentional } = view;
  const sections = [
    section(paint.red("changed on the node"), corrective, findingRow, paint),
    section(
      paint.yellow(view.hadRecord ? "not rolled out yet" : "differs, and there is no record of what was proved"),
      intentional,
      findingRow,
      paint,
    ),
    section(
      paint.dim("set aside"),
      view.aside,
      (one) => [...findingRow(one), `${one.why}: ${visible(one.detail)}`],
      paint,
    ),
    section(paint.red("silent"), view.silence, silenceRow, paint),
    section(paint.yellow("down by verdict"), view.verdicts, verdictRow, paint),
    section(paint.yellow("ignored no longer"), view.expiredIgnores, ignoreRow, paint),
    section(
      paint.red("damaged in the record"),
      view.damaged,
      ({ path, message }) => [visible(path), visible(message)],
      paint,
    ),
  ];
  return [...sections.flat(), ...endLines(view, leftOut.nodes.length, paint), ""].join("\n");
}

function section<Row>(
  title: string,
  rows: readonly Row[],
  cells: (row: Row) => readonly string[],
  paint: Paint,
): string[] {
  if (rows.length === 0) return [];
  return [`${paint.bold(title)} (${rows.length})`, ...columns(rows.map(cells), "  "), ""];
}

function findingRow({ node, unit, item }: AuditFinding): string[] {
  const { action_to_apply: action, resource, discovered_at: since } = item;
  const codes = action.params?.reasons;
  const reasons = Array.isArray(codes) ? codes.join(", ") : "";
  return [node, unit, action.verb, visible(resource.id), visible(reasons), since === undefined ? "" : `since ${since}`];
}

function silenceRow({ node, reason, since, detail, hint }: AuditedSilence): string[] {
  return [node, reason, since === null ? "never" : since, `${visible(detail)} · ${hint}`];
}

function verdictRow({ node, standing, reason, by, since, message, hint }: VerdictView): string[] {
  const said = `"${visible(reason)}" (${visible(by)}, ${since})`;
  return [node, standing, said, [visible(message), hint].filter((part) => part !== "").join(" · ")];
}

function ignoreRow({ host, resource, reason, until }: IgnoredDrift): string[] {
  return [
    host,
    visible(resource),
    `"${visible(reason)}"`,
    `until ${until}: take it out of drift.ignore, or give it another day`,
  ];
}

function endLines(view: AuditView, leftOut: number, paint: Paint): string[] {
  const { recorded, outcomes, unread, nothing, corrective, intentional } = view;
  const told =
    recorded.ok === true
      ? []
      : recorded.ok === null
        ? [paint.dim(`not recorded: ${visible(recorded.why)}`)]
        : [
            `${paint.red("error")} ${recorded.code}: nothing was recorded: ${visible(recorded.message)}`,
            `  ${paint.dim(visible(recorded.hint))}`,
          ];
  const parts = [
    `${outcomes.filter(({ outcome }) => outcome === "converged").length} as declared`,
    ...(corrective.length === 0 ? [] : [`${nodesOf(corrective)} changed on the node`]),
    ...(intentional.length === 0 ? [] : [`${nodesOf(intentional)} with what is not rolled out yet`]),
    ...(unread.length === 0 ? [] : [`${unread.length} not observed (${some(unread)})`]),
  ];
  const total = `audit of ${outcomes.length} ${outcomes.length === 1 ? "node" : "nodes"}, generation ${view.generation}: ${parts.join(", ")}`;
  return [
    ...told,
    ...(nothing === null ? [] : [paint.red(nothing)]),
    ...(leftOut === 0 ? [] : [paint.dim(`left out, as asked: ${leftOut} ${leftOut === 1 ? "node" : "nodes"}`)]),
    total,
  ];
}

function nodesOf(findings: readonly AuditFinding[]): number {
  return new Set(findings.map(({ node }) => node)).size;
}

function some(names: readonly string[]): string {
  return `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`;
}
