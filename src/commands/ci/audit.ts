import { withoutSecrets } from "../../engine/without-secrets.ts";
import { FORGE_BODY_LIMIT } from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";
import { SUMMARY_LIMIT, type WorkflowRun } from "../../ports/workflow-run.ts";
import type { Clock } from "../../ports.ts";
import { auditIssue, auditOver, auditTitle, isAlert } from "../../render/audit-issue.ts";
import { type AuditDoors, type Audited, runAudit } from "../audit.ts";
import { type CommandResult, EXIT } from "../result.ts";
import { closeAudit, tellAudit } from "./audit-issue.ts";
import { Reporter } from "./reporter.ts";

export interface CiAuditDoors extends AuditDoors {
  readonly run: WorkflowRun;
  /** null: there is nobody to tell; `forgeProblem` says why, in one line. */
  readonly forge: Forge | null;
  readonly forgeProblem: string;
  readonly clock: Clock;
}

const EVERYBODY = { nodes: [], patterns: [], roles: [], classes: [], labels: [], unit: null };

/**
 * `ci audit`: the audit in a workflow (DESIGN §6): one issue says what it found, and is closed when that is gone. Exit codes
 * are those of `audit`; 3 means that neither `observed-live` nor the issue could say what was found.
 */
export async function runCiAudit(doors: CiAuditDoors): Promise<CommandResult> {
  const { run } = doors;
  const reporter = new Reporter(doors.forge, doors.forgeProblem);
  const answer = await runAudit(doors, EVERYBODY, (audited) => toldOf(doors, reporter, audited));
  if (answer.exitCode !== EXIT.ok) {
    const text = answer.exitCode === EXIT.failed ? "nodes have drifted" : "the audit could not say that all is well";
    run.annotate({ level: "error", title: "rollcall audit", text, file: null, line: null });
  }
  return answer;
}

function wayOn(exitCode: number, alert: boolean): string {
  if (exitCode === EXIT.notObserved)
    return "see above why nodes were not read, and bring them back, or: rollcall node down NODE --reason …";
  return alert
    ? "mend what the issue lists: rollcall apply NODE puts back what changed, a pull request keeps it"
    : "see the lines above";
}

async function toldOf({ run, clock }: CiAuditDoors, reporter: Reporter, audited: Audited): Promise<CommandResult> {
  const { view, answer, ofMain, run: context } = audited;
  const redact = (text: string): string => context.secrets.redact(text);
  const frame = { run: run.url, at: clock.now(), exitCode: answer.exitCode };
  // Before anything is told: what was found must be there whatever becomes of the telling.
  await run.document("audit.json", withoutSecrets(answer.document, context.secrets));
  await run.summary(redact(auditIssue(view, frame, SUMMARY_LIMIT / 4)));
  const alert = isAlert(view);
  const told = ofMain && (await toldOnGitHub());
  const problems = withoutSecrets(reporter.problems(), context.secrets);
  for (const { what, code, message } of problems)
    run.annotate({ level: "warning", title: "rollcall", text: `${what}: ${code}: ${message}`, file: null, line: null });
  const exitCode = exitOf(answer.exitCode, view.recorded.ok, told);
  const todo = wayOn(answer.exitCode, alert);
  return {
    exitCode,
    document: { ...(answer.document as object), issue_told: told, not_told: problems },
    text: (paint) =>
      [
        answer.text(paint).trimEnd(),
        ...(ofMain ? [] : ["this is not main: nobody is told on GitHub"]),
        ...problems.map(
          ({ what, code, message, hint }) => `${paint.yellow("not told")} ${what}: ${code}: ${message}; ${hint}`,
        ),
        ...(exitCode === EXIT.ok ? [] : [`What to do: ${todo}`]),
        "",
      ].join("\n"),
  };

  async function toldOnGitHub(): Promise<boolean> {
    if (alert) {
      // Masking may make a text longer.
      const body = redact(auditIssue(view, frame, FORGE_BODY_LIMIT - 4096)).slice(0, FORGE_BODY_LIMIT);
      return tellAudit(reporter, { title: redact(auditTitle(view)).slice(0, 250), body });
    }
    await closeAudit(reporter, redact(auditOver(view, frame)));
    return reporter.problems().length === 0;
  }
}

/** What the refs could not say, the issue did: then somebody knows, and only the record is broken. */
function exitOf(exitCode: number, recorded: boolean | null, told: boolean): number {
  return exitCode === EXIT.untold && recorded === false && told ? EXIT.notObserved : exitCode;
}
