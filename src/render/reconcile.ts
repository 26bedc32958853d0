import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { UnitCourse } from "../plan/unit-course.ts";
import { columns } from "./columns.ts";
import { courseLines, wrapped } from "./course.ts";
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
  /** Of the rollouts that the run was at work on. */
  readonly courses: readonly UnitCourse[];
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

/**
 * `reconcile` for people: what bypassed a gate first, then how each rollout went, and last what to do next. Text of nodes and of git
 * is made visible.
 */
export function renderReconcile(view: ReconcileView, paint: Paint): string {
  const courses = new Map(view.courses.map((course) => [course.unit, course]));
  const quiet = view.units.filter(({ unit, next }) => !courses.has(unit) && QUIET.has(next));
  const told = view.units.filter((unit) => !quiet.includes(unit));
  const headings = columns(told.map((unit) => unitCells(unit, paint)));
  const lines = [
    ...loudLines(view, paint),
    ...told.flatMap((unit, index) => [
      headings[index] ?? unit.unit,
      ...unitLines(unit, courses.get(unit.unit), view, paint),
    ]),
    ...quietLines(quiet, paint),
    "",
    summary(view),
    ...stoppedLines(view, paint),
    ...toDo(view, paint),
  ];
  return `${lines.join("\n")}\n`;
}

/** What nothing was done about and nothing is to be done about. */
const QUIET: ReadonlySet<string> = new Set(["nothing", "observe"]);

type UnitView = ReconcileView["units"][number];

function quietLines(units: readonly UnitView[], paint: Paint): readonly string[] {
  const folded = (label: string, next: string): readonly string[] => {
    const names = units.filter((unit) => unit.next === next).map(({ unit }) => unit);
    return names.length === 0 ? [] : wrapped(`${label}: ${names.join(" ")}`, "", paint.dim);
  };
  return [...folded("in", "nothing"), ...folded("only observed", "observe")];
}

/** How it went, what failed, and why it stands still: each once. */
function unitLines(
  { unit, next, detail, hint }: UnitView,
  course: UnitCourse | undefined,
  { outcomes }: ReconcileView,
  paint: Paint,
): readonly string[] {
  const failed = outcomes.filter((one) => one.unit === unit && !OUTCOMES[one.outcome].good);
  const shown = failed.slice(0, MOST_FAILED);
  const more = failed.length - shown.length;
  // A gate's reason repeats what the first nodes said.
  const why = shown.reduce((words, one) => words.replace(`; ${failureWords(one)}`, ""), detail);
  return [
    ...(course === undefined ? [] : courseLines(course, paint)),
    ...shown.flatMap((one) => wrapped(failureWords(one), "    ", paint.red)),
    ...(more > 0 ? [paint.red(`    and ${more} more`)] : []),
    ...(why === "" || QUIET.has(next) ? [] : wrapped(`${STANDS[next] ?? ""}${why}`, "  ", paint.yellow)),
    ...(hint === "" || QUIET.has(next) ? [] : wrapped(`next: ${hint}`, "  ")),
  ];
}

/** More nodes that failed are in the document, and on the status screen of the rollout. */
const MOST_FAILED = 10;

const STANDS: Readonly<Record<string, string>> = { stopped: "stopped: ", nobody: "", waiting: "waits: " };

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

function unitCells({ unit, state, next, applied, targets }: UnitView, paint: Paint): readonly string[] {
  const isIn = next === "nothing";
  const words = next === "stopped" || isIn ? (state ?? "in") : next === "observe" ? "only observed" : next;
  const colour = isIn ? paint.green : next === "observe" ? paint.dim : paint.yellow;
  return [paint.bold(unit), colour(words), `${applied} of ${targets} applied`];
}

/** As a gate's reason has it (engine/wave-outcome.ts). */
function failureWords({ node, outcome, message }: ReconcileView["outcomes"][number]): string {
  return `${node} ${outcome}${message === "" ? "" : `: ${message}`}`;
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
      return [`${paint.red("error")} ${stopped.code}: ${visible(stopped.message)}`];
  }
}

/** The last line of a red run is the one that stays on the screen. */
function toDo({ units, stopped, exitCode }: ReconcileView, paint: Paint): readonly string[] {
  if (exitCode === 0) return [];
  const told = (words: string): readonly string[] => [paint.bold(`to do: ${visible(words)}`)];
  if (stopped?.reason === "unrecorded") return told(stopped.hint);
  const hints = [...new Set(units.flatMap(({ next, hint }) => (QUIET.has(next) || hint === "" ? [] : [hint])))];
  const [first, ...others] = stopped === null ? hints : ["rollcall reconcile"];
  if (first === undefined) return told("rollcall board");
  return told(others.length === 0 ? first : `${first}, and ${others.length} more above`);
}
