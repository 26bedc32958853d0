import { withoutSecrets } from "../../engine/without-secrets.ts";
import type { Forge } from "../../ports/forge.ts";
import type { MergedPast } from "../../ports/merged-past.ts";
import type { RemoteCommits } from "../../ports/remote-commits.ts";
import type { WorkflowRun } from "../../ports/workflow-run.ts";
import type { Clock, History, Repository, Secrets, Simulator } from "../../ports.ts";
import type { Paint } from "../../render/paint.ts";
import { type ReconcileDoors, type ReconcileOptions, runReconcile } from "../reconcile.ts";
import { type CommandResult, EXIT, type Refusal } from "../result.ts";
import { KeptIssues } from "./kept-issues.ts";
import { MergeReport } from "./merge-report.ts";
import { MergeTelling } from "./merge-telling.ts";
import { Reporter, type ReportProblem } from "./reporter.ts";

export interface CiReconcileDoors extends Omit<ReconcileDoors, "companion"> {
  readonly run: WorkflowRun;
  /** null: there is nobody to tell or to ask; `forgeProblem` says why, in one line. */
  readonly forge: Forge | null;
  readonly forgeProblem: string;
  readonly repository: Repository;
  readonly history: Pick<History, "commit">;
  readonly past: MergedPast;
  readonly commits: RemoteCommits;
  readonly simulator: Simulator;
  readonly clock: Clock;
}

export interface CiReconcileOptions extends ReconcileOptions {
  /** Why the run may do more than what was reviewed; null: it may not. */
  readonly acceptEscalation: string | null;
}

/**
 * `ci reconcile`: the merge run in a workflow (DESIGN §6): `reconcile`, held against what was reviewed before any node is
 * touched, and told of on GitHub while it is at work. Exit codes are those of `reconcile`, whatever could not be told.
 */
export async function runCiReconcile(doors: CiReconcileDoors, options: CiReconcileOptions): Promise<CommandResult> {
  const { run, forge, forgeProblem, clock } = doors;
  const reporter = new Reporter(forge, forgeProblem);
  let secrets: Pick<Secrets, "redact"> = { redact: (text) => text };
  let runId = "";
  const redact = (text: string): string => secrets.redact(text);
  const issues = new KeptIssues(reporter, clock);
  const doorsOfTelling = { reporter, issues, page: run.url, redact, runId: () => runId };
  const telling = new MergeTelling(doorsOfTelling);
  const accept = (options.acceptEscalation ?? "").trim() || null;
  const report = new MergeReport({ run, reporter, telling, reviews: doors, clock, redact, accept });
  const result = await orSaid(report, () =>
    runReconcile(
      {
        repository: doors.repository,
        interrupted: doors.interrupted,
        open: (parallel) => {
          const context = doors.open(parallel);
          secrets = context.secrets;
          runId = context.runId;
          return context;
        },
        store: (branch) => report.watched(doors.store(branch)),
        companion: report,
      },
      options,
    ),
  );
  await keepDocuments(run, report, result, secrets);
  const refusal = refusalIn(result);
  const last = lastWords(report, result, refusal, run);
  await report.finish(last, refusal);
  const problems = reporter.problems();
  for (const { what, code, message } of problems)
    run.annotate({
      level: "warning",
      title: "rollcall",
      text: redact(`${what}: ${code}: ${message}`),
      file: null,
      line: null,
    });
  if (result.exitCode !== EXIT.ok)
    run.annotate({ level: "error", title: "rollcall reconcile", text: redact(last.standing), file: null, line: null });
  const untold = withoutSecrets(problems, secrets);
  return {
    exitCode: result.exitCode,
    document: { ...(result.document as object), review: reviewOf(report), not_told: untold },
    text: (paint) => textOf(result, untold, last.todo, paint),
  };
}

/** A broken machine or remote ends the run in main.ts; what was known until then is in the summary. */
async function orSaid(report: MergeReport, work: () => Promise<CommandResult>): Promise<CommandResult> {
  try {
    return await work();
  } catch (error) {
    await report.broke(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** Written before anything is told: what the run did must be there whatever becomes of the telling. */
async function keepDocuments(
  run: WorkflowRun,
  report: MergeReport,
  result: CommandResult,
  secrets: Pick<Secrets, "redact">,
): Promise<void> {
  const { check } = report;
  await run.document("reconcile.json", withoutSecrets(result.document, secrets));
  if (check === null) return;
  await run.document("review.json", withoutSecrets(reviewOf(report), secrets));
  if (check.fresh !== null) await run.document("plan.json", withoutSecrets(check.fresh, secrets));
}

function reviewOf({ check }: MergeReport): object | null {
  if (check === null) return null;
  const { kind, escalations, moved, pullRequests, notes } = check;
  return { kind, escalations, moved, pull_requests: pullRequests, notes };
}

function refusalIn({ exitCode, document }: CommandResult): Refusal | null {
  if (exitCode === EXIT.ok || exitCode === EXIT.failed) return null;
  const { error } = document as { readonly error?: Refusal };
  return (
    error ?? { code: "invalid", message: "what is merged is not valid", hint: "rollcall validate says what is wrong" }
  );
}

function lastWords(report: MergeReport, { exitCode }: CommandResult, refusal: Refusal | null, { url }: WorkflowRun) {
  if (refusal !== null) return { standing: `refused, ${refusal.code}: ${refusal.message}`, todo: [refusal.hint] };
  if (exitCode === EXIT.ok) return { standing: "all of it is in", todo: [] };
  const { result } = report;
  const open = result?.units.filter(({ next }) => next !== "nothing" && next !== "observe") ?? [];
  const hints = open.flatMap(({ hint }) => (hint === "" ? [] : [hint]));
  const { stopped = null } = result ?? {};
  const standing =
    stopped === null
      ? `not through: ${open.map(({ unit }) => unit).join(", ")}`
      : `the run ended early: ${stopped.reason}`;
  const todo = stopped?.reason === "unrecorded" ? [stopped.hint] : [...new Set(hints)];
  return { standing, todo: todo.length > 0 ? todo : [url === null ? "rollcall reconcile" : "run this workflow again"] };
}

/** The last line of a red run says what to do. */
function textOf(
  result: CommandResult,
  problems: readonly ReportProblem[],
  todo: readonly string[],
  paint: Paint,
): string {
  const untold = problems.map(
    ({ what, code, message, hint }) => `${paint.yellow("not told")} ${what}: ${code}: ${message}; ${hint}`,
  );
  const next = result.exitCode === EXIT.ok ? [] : [`What to do: ${todo.join(" · ")}`];
  return [result.text(paint).trimEnd(), ...untold, ...next, ""].join("\n");
}
