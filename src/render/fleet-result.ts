import { groupBy } from "../kit/group-by.ts";
import type { ContentDiff } from "../model/content-diff.ts";
import type { DriftItem } from "../model/drift-item.ts";
import type { DriftReport } from "../model/drift-report.ts";
import type { LeftOut } from "../model/left-out.ts";
import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import { columns } from "./columns.ts";
import { contentLines } from "./content-diff.ts";
import { blockLines, type NodeBlock } from "./node-blocks.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

export interface FleetResult {
  readonly reports: readonly DriftReport[];
  readonly outcomes: readonly NodeOutcome[];
  readonly diffs?: readonly ContentDiff[];
}

/** What the reader should know of the run beside its result. */
export interface FleetView {
  /** Of a node, by its name. */
  readonly classOf: (node: string) => string;
  readonly leftOut: LeftOut;
}

/** `check` and `apply --dry-run` for people: per node what differs, then one line that adds it up. */
export function renderCheck(result: FleetResult, view: FleetView, paint: Paint): string {
  const reports = groupBy(result.reports, ({ host }) => host);
  const diffsOf = groupBy(result.diffs ?? [], ({ node }) => node);
  const blocks = result.outcomes.map((outcome): NodeBlock => {
    const items = reports.get(outcome.node)?.[0]?.items ?? [];
    const diffs = diffsOf.get(outcome.node) ?? [];
    return {
      ...blockOf(outcome, view, paint),
      count: items.length === 0 ? "" : counted(items.length, "item"),
      lines: itemLines(items, diffs, paint),
    };
  });
  return ending(blocks, result, view, "as declared", paint);
}

/** `apply` for people: per node what was done, and what still differs where something does. */
export function renderApply(result: FleetResult, view: FleetView, paint: Paint): string {
  const reports = groupBy(result.reports, ({ host }) => host);
  const blocks = result.outcomes.map((outcome): NodeBlock => {
    const own = reports.get(outcome.node) ?? [];
    const before = own.find(({ stage }) => stage === "before");
    const after = own.find(({ stage }) => stage === "after");
    const remaining = new Set(after?.items.map(itemKey));
    const done = after === undefined ? [] : (before?.items ?? []).filter((item) => !remaining.has(itemKey(item)));
    const doneLines = columns(
      done.map((item) => [paint.green(doneWord(item)), verb(item), visible(item.resource.id)]),
      "  ",
    );
    const lines = [...doneLines, ...itemLines(after?.items ?? before?.items ?? [], [], paint)];
    return { ...blockOf(outcome, view, paint), lines };
  });
  return ending(blocks, result, view, "converged", paint);
}

function ending(
  blocks: readonly NodeBlock[],
  result: FleetResult,
  { leftOut }: FleetView,
  goodWord: string,
  paint: Paint,
): string {
  return [...blockLines(blocks, paint), "", summary(result, goodWord), ...leftOutLines(leftOut), ""].join("\n");
}

function blockOf(outcome: NodeOutcome, { classOf }: FleetView, paint: Paint): NodeBlock {
  const { observed, good } = OUTCOMES[outcome.outcome];
  const colour = good ? paint.green : observed ? paint.yellow : paint.red;
  const { node, message } = outcome;
  return {
    node,
    class: classOf(node),
    outcome: colour(outcome.outcome),
    message: visible(message),
    count: "",
    lines: [],
  };
}

/** What was released and is kept leaves the record of what is rollcall's, and is not spoken of again (DESIGN §3.2). */
function doneWord({ action_to_apply: { verb, params } }: DriftItem): string {
  return verb === "noop" && params.on_release === "keep" ? "kept" : "done";
}

function itemKey(item: DriftItem): string {
  return `${item.role} ${item.resource.id}`;
}

function itemLines(list: readonly DriftItem[], diffs: readonly ContentDiff[], paint: Paint): readonly string[] {
  const rows = list.map((item) => [
    severityWord(item, paint),
    verb(item),
    visible(item.resource.id),
    paint.dim(`${item.role} · ${visible(reasons(item))}`),
  ]);
  const lines = columns(rows, "  ");
  return list.flatMap((item, index) => {
    const diff = diffs.find(({ role, resource }) => role === item.role && resource === item.resource.id);
    const below = diff === undefined ? [] : contentLines(diff, paint).map((line) => `    ${line}`);
    return [lines[index] ?? "", ...below];
  });
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
  const { outcomes } = result;
  const namesOf = (wanted: (outcome: NodeOutcome) => boolean): string[] =>
    outcomes.filter(wanted).map(({ node }) => node);
  const good = namesOf(({ outcome }) => OUTCOMES[outcome].good && outcome !== "skipped");
  const parts = [
    `${good.length} ${goodWord}`,
    ...named(
      namesOf(({ outcome }) => OUTCOMES[outcome].observed && !OUTCOMES[outcome].good),
      "not as declared",
    ),
    ...named(
      namesOf(({ outcome }) => !OUTCOMES[outcome].observed),
      "not observed",
    ),
    ...named(
      namesOf(({ outcome }) => outcome === "skipped"),
      "skipped",
    ),
  ];
  return `${counted(outcomes.length, "node")}: ${parts.join(", ")}`;
}

/** The last lines of a partial run. */
function leftOutLines({ nodes, roles }: LeftOut): readonly string[] {
  const parts = [
    ...(nodes.length === 0 ? [] : [`${counted(nodes.length, "node")} (${some(nodes)})`]),
    ...(roles.length === 0 ? [] : [`${counted(roles.length, "role")} (${some(roles)})`]),
  ];
  return parts.length === 0 ? [] : [`left out, as asked: ${parts.join(", ")}`];
}

function named(names: readonly string[], what: string): string[] {
  return names.length === 0 ? [] : [`${names.length} ${what} (${some(names)})`];
}

function some(names: readonly string[]): string {
  return `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
