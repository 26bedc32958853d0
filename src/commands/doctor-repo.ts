import { loadDesired } from "../desired/load-desired.ts";
import type { RepoFinding } from "../model/repo-finding.ts";
import type { Forge } from "../ports/forge.ts";
import type { Repository } from "../ports.ts";
import { renderDoctorRepo } from "../render/doctor-repo.ts";
import { ENVIRONMENT, mainFindings, recordFinding, settingsFindings } from "./repo-findings.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import { type WorkflowFile, workflowFindings } from "./workflow-findings.ts";

export interface DoctorDoors {
  readonly repository: Pick<Repository, "workingTree">;
  readonly forge: Forge;
  /** Those of the working tree. */
  readonly workflows: () => Promise<readonly WorkflowFile[]>;
}

/**
 * `doctor --repo`: the repository's settings against what rollcall needs (DESIGN §5, §6). 0 when all of it holds; 1 when
 * something must be changed, or cannot be seen with this token: not seen is not fine.
 */
export async function runDoctorRepo({ repository, forge, workflows }: DoctorDoors): Promise<CommandResult> {
  const settings = await forge.settings();
  if (settings.repository.kind === "failed") {
    const { code, message, hint } = settings.repository;
    return refused({ code, message: `the repository cannot be read: ${message}`, hint }, EXIT.failed);
  }
  const { name, defaultBranch } = settings.repository.value;
  const observed = loadDesired(await repository.workingTree()).state?.fleet.observedBranch ?? "observed";
  const main = await forge.guard(defaultBranch);
  const queue = main.rules.kind === "ok" ? main.rules.value.mergeQueue : null;
  const findings: readonly RepoFinding[] = [
    ...mainFindings(main),
    ...settingsFindings(settings, await forge.environmentSecrets(ENVIRONMENT)),
    recordFinding(await forge.guard(observed)),
    recordFinding(await forge.guard(`${observed}-live`)),
    ...workflowFindings(await workflows(), queue),
  ];
  const bad = findings.some(({ level }) => level === "problem" || level === "unknown");
  return {
    exitCode: bad ? EXIT.failed : EXIT.ok,
    document: { ok: !bad, repository: name, default_branch: defaultBranch, findings },
    text: (paint) => renderDoctorRepo(name, findings, paint),
  };
}
