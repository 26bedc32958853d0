import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import { columns } from "./columns.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** What a merge run came to, as far as its text is concerned. */
export interface ReconcileView {
  readonly run_id: string;
  readonly generation: number;
  readonly commit: string;
  readonly units: readonly {
    readonly unit: string;
    readonly state: string | null;
    readonly next: string;
    readonly detail: string;
    readonly hint: string;
    readonly applied: number;
    readonly targets: number;
    readonly escapes: readonly { readonly gate: string; readonly reason: string; readonly by: string }[];
  }[];
  readonly outcomes: readonly (NodeOutcome & { readonly unit: string })[];
  readonly stopped:
    | { readonly reason: "budget" | "interrupted" }
    | { readonly reason: "lock-lost"; readonly by: string }
    | { readonly reason: "unrecorded"; readonly code: string; readonly message: string; readonly hint: string }
    | null;
  readonly unrecorded: readonly string[];
  readonly unpublished: { readonly code: string; readonly message: string } | null;
  readonly damaged: readonly { readonly path: string; readonly message: string }[];
  /** From whom and why the lock was taken; null: it was free. */
  readonly tookOver: string | null;
  readonly exitCode: number;
}

/** `reconcile` for people: loud things first, then a line a unit, and last what to do next. */
export function renderReconcile(view: ReconcileView, paint: Paint): string {
  const lines = [
    ...loudLines(view, paint),
    ...columns(view.units.map((unit) => unitCells(unit, paint))),
    ...view.outcomes.filter(({ outcome }) => !OUTCOMES[outcome].good).map((outcome) => failedLine(outcome, paint)),
    "",
    summary(view),
    ...stoppedLines(view, paint),
    ...nextLines(view, paint),
  ];
  return `${lines.join("\n")}\n`;
}

function loudLines({ tookOver, units, damaged }: ReconcileView, paint: Paint): readonly string[] {
  const loud = (words: string): string => paint.red(paint.bold(words));
  const escapes = units.flatMap(({ unit, escapes: own }) =>
    own.map(
      ({ gate, reason, by }) => `${loud(`ESCAPE ${visible(gate)}`)} ${unit}: "${visible(reason)}" (${visible(by)})`,
    ),
  );
  return [
    ...(tookOver === null ? [] : [`${loud("LOCK TAKEN OVER")}: ${visible(tookOver)}`]),
    ...escapes,
    ...damaged.map(({ path, message }) => `${paint.red("damaged")} ${visible(path)}: ${visible(message)}`),
  ];
}

function unitCells(unit: ReconcileView["units"][number], paint: Paint): readonly string[] {
  const { state, next, detail } = unit;
  const isIn = next === "nothing";
  const words = next === "stopped" || isIn ? (state ?? "in") : next === "observe" ? "only observed" : next;
  const colour = isIn ? paint.green : next === "observe" ? paint.dim : paint.yellow;
  return [unit.unit, colour(words), `${unit.applied} of ${unit.targets} applied`, paint.dim(visible(detail))];
}

function failedLine({ unit, node, outcome, message }: ReconcileView["outcomes"][number], paint: Paint): string {
  return `  ${paint.red(outcome)} ${node} ${paint.dim(unit)}${message === "" ? "" : `: ${visible(message)}`}`;
}

function summary({ generation, commit, outcomes }: ReconcileView): string {
  const good = outcomes.filter(({ outcome }) => OUTCOMES[outcome].good).length;
  const done = outcomes.length === 0 ? "no node was turned to" : `${good} of ${outcomes.length} node visits converged`;
  return `generation ${generation} at ${commit.slice(0, 12)}: ${done}`;
}

function stoppedLines({ stopped, unrecorded, unpublished }: ReconcileView, paint: Paint): readonly string[] {
  const changed =
    unrecorded.length === 0 ? [] : [`  done and not recorded: ${unrecorded.join(", ")}; the next run reads them again`];
  const live =
    unpublished === null
      ? []
      : [`${paint.yellow("not published")} ${unpublished.code}: ${visible(unpublished.message)}`];
  return [...(stopped === null ? [] : stopWords(stopped, paint)), ...changed, ...live];
}

function stopWords(stopped: NonNullable<ReconcileView["stopped"]>, paint: Paint): readonly string[] {
  switch (stopped.reason) {
    case "budget":
      return [`${paint.yellow("the budget is spent")}; what is done is recorded, and the next run goes on`];
    case "interrupted":
      return [`${paint.yellow("interrupted")}; what is done is recorded, and the next run goes on`];
    case "lock-lost":
      return [
        `${paint.red("error")} lock-lost: ${visible(stopped.by)} holds the fleet's lock now; this run did nothing more`,
      ];
    case "unrecorded":
      return [
        `${paint.red("error")} ${stopped.code}: ${visible(stopped.message)}`,
        `  ${paint.dim(visible(stopped.hint))}`,
      ];
  }
}

function nextLines({ units, exitCode }: ReconcileView, paint: Paint): readonly string[] {
  if (exitCode === 0) return [];
  return units.flatMap(({ unit, next, hint }) =>
    next === "nothing" || next === "observe" || hint === "" ? [] : [`${paint.dim(`${unit}:`)} ${visible(hint)}`],
  );
}
