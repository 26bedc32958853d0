import type { DriftItem } from "../model/drift-item.ts";
import type { DriftReport } from "../model/drift-report.ts";
import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import { columns } from "./columns.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

export interface FleetResult {
  readonly reports: readonly DriftReport[];
  readonly outcomes: readonly NodeOutcome[];
}

/** `check` and `apply --dry-run` for people: per node what differs, then one line that adds it up. */
export function renderCheck(result: FleetResult, paint: Paint): string {
  const lines = result.outcomes.flatMap((outcome) => [
    nodeLine(outcome, reportOf(result, outcome.node), paint),
    ...itemLines(reportOf(result, outcome.node)?.items ?? [], paint),
  ]);
  return [...lines, "", summary(result, "as declared"), ""].join("\n");
}

/** `apply` for people: per node what was done, and what still differs where something does. */
export function renderApply(result: FleetResult, paint: Paint): string {
  const lines = result.outcomes.flatMap((outcome) => {
    const before = reportOf(result, outcome.node, "before");
    const after = reportOf(result, outcome.node, "after");
    const remaining = new Set(after?.items.map(itemKey));
    const done = after === undefined ? [] : (before?.items ?? []).filter((item) => !remaining.has(itemKey(item)));
    return [
      nodeLine(outcome, undefined, paint),
      ...columns(
        done.map((item) => [paint.green("done"), verb(item), visible(item.resource.id)]),
        "  ",
      ),
      ...itemLines(after?.items ?? before?.items ?? [], paint),
    ];
  });
  return [...lines, "", summary(result, "converged"), ""].join("\n");
}

function reportOf(result: FleetResult, node: string, stage?: "before" | "after"): DriftReport | undefined {
  return result.reports.find((report) => report.host === node && (stage === undefined || report.stage === stage));
}

function itemKey(item: DriftItem): string {
  return `${item.role} ${item.resource.id}`;
}

function nodeLine(outcome: NodeOutcome, report: DriftReport | undefined, paint: Paint): string {
  const { observed, good } = OUTCOMES[outcome.outcome];
  const colour = good ? paint.green : observed ? paint.yellow : paint.red;
  const count = report === undefined || report.items.length === 0 ? "" : ` (${items(report.items.length)})`;
  const message = outcome.message === "" ? "" : ` · ${visible(outcome.message)}`;
  return `${paint.bold(outcome.node)}  ${colour(outcome.outcome)}${count}${message}`;
}

function itemLines(list: readonly DriftItem[], paint: Paint): string[] {
  const rows = list.map((item) => [
    severityWord(item, paint),
    verb(item),
    visible(item.resource.id),
    paint.dim(`${item.role} · ${visible(reasons(item))}`),
  ]);
  return columns(rows, "  ");
}

function severityWord(item: DriftItem, paint: Paint): string {
  if (item.severity === "error") return paint.red("error");
  return item.severity === "warn" ? paint.yellow("warn") : paint.yellow("drift");
}

/** The verb with what rides on it: `start+enable`, `start+restart`. What is not running is started, not restarted. */
function verb(item: DriftItem): string {
  const { verb: first, params } = item.action_to_apply;
  const isUp = item.observed !== null && item.observed.active === true;
  const riders = ["enable", "disable", ...(isUp ? ["restart", "reload"] : [])].filter(
    (rider) => params[rider] === true && rider !== first,
  );
  return [first, ...riders].join("+");
}

function reasons(item: DriftItem): string {
  const { reasons: codes } = item.action_to_apply.params;
  return Array.isArray(codes) ? codes.join(", ") : "";
}

function summary(result: FleetResult, goodWord: string): string {
  const total = result.outcomes.length;
  const good = result.outcomes.filter(({ outcome }) => OUTCOMES[outcome].good && outcome !== "skipped");
  const skipped = result.outcomes.filter(({ outcome }) => outcome === "skipped");
  const behind = result.outcomes.filter(({ outcome }) => OUTCOMES[outcome].observed && !OUTCOMES[outcome].good);
  const unseen = result.outcomes.filter(({ outcome }) => !OUTCOMES[outcome].observed);
  const parts = [
    `${good.length} ${goodWord}`,
    ...named(behind, "not as declared"),
    ...named(unseen, "not observed"),
    ...named(skipped, "left out"),
  ];
  return `${total} ${total === 1 ? "node" : "nodes"}: ${parts.join(", ")}`;
}

function named(outcomes: readonly NodeOutcome[], what: string): string[] {
  if (outcomes.length === 0) return [];
  const names = outcomes.slice(0, 5).map(({ node }) => node);
  const more = outcomes.length > names.length ? ", …" : "";
  return [`${outcomes.length} ${what} (${names.join(", ")}${more})`];
}

function items(count: number): string {
  return `${count} ${count === 1 ? "item" : "items"}`;
}
