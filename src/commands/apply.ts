import { apply } from "../engine/apply.ts";
import type { ObservedStore, Repository, RepositoryStanding } from "../ports.ts";
import { type Escape, escapeLines } from "../render/escapes.ts";
import { renderApply, renderCheck } from "../render/fleet-result.ts";
import { applyExit } from "./apply-exit.ts";
import { applyUnderLock } from "./apply-under-lock.ts";
import type { Selection } from "./criteria.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";
import { type ChosenFleet, type OpenRun, runOverNodes } from "./run-over-nodes.ts";

export interface ApplyOptions extends Selection {
  readonly dryRun: boolean;
  /** Also what the content of files would become; of a dry run only. */
  readonly diff: boolean;
  /** The escape from applying only what is merged; it needs a reason and is printed loudly. */
  readonly allowUnmerged: boolean;
  readonly reason: string | null;
}

/** How an apply meets the record (DESIGN §4). */
export interface ApplyRecord {
  /** Of the observed branch of that name. */
  readonly store: (branch: string) => ObservedStore;
  readonly actor: string;
}

/**
 * `apply [NODE…]`: converge, then read back; in the order of the waves and under the fleet's lock where there is git history.
 * 0 converged, 1 failed, not converged or held back, 2 refused (DESIGN §5).
 */
export async function runApply(
  repository: Repository,
  open: OpenRun,
  options: ApplyOptions,
  record: ApplyRecord,
): Promise<CommandResult> {
  if (options.allowUnmerged && (options.reason ?? "").trim() === "") return refused(REASON_MISSING, EXIT.usage);
  if (options.diff && !options.dryRun) return refused(DIFF_OF_APPLY, EXIT.usage);
  return runOverNodes(repository, open, options, EXIT.refused, async (fleet) => {
    if (options.dryRun) return dryRun(fleet, options);
    const standing = await repository.standing();
    const objection = objectionTo(standing);
    if (objection !== null && !options.allowUnmerged) return refused(objection, EXIT.refused);
    const escapes = objection === null ? [] : [{ gate: objection.code, reason: options.reason ?? "" }];
    if (standing.head === null) return unrecorded(fleet, escapes);
    return applyUnderLock({ repository, open, fleet, selection: options, escapes, ...record });
  });
}

async function dryRun({ works, run, view }: ChosenFleet, { diff }: ApplyOptions): Promise<CommandResult> {
  const result = await apply(works, run, { dryRun: true, diff });
  return {
    exitCode: applyExit(result.outcomes),
    document: { ...result, escapes: [], left_out: view.leftOut },
    text: (paint) => renderCheck(result, view, paint),
  };
}

/** Where there is no history there is no record, no lock and no wave. */
async function unrecorded({ works, run, view }: ChosenFleet, escapes: readonly Escape[]): Promise<CommandResult> {
  const result = await apply(works, run, { dryRun: false });
  return {
    exitCode: applyExit(result.outcomes),
    document: { ...result, escapes, left_out: view.leftOut },
    text: (paint) => `${escapeLines(escapes, paint)}${paint.dim(NO_RECORD)}\n${renderApply(result, view, paint)}`,
  };
}

const NO_RECORD = "no git history here: all nodes at once, and nothing is recorded";

const REASON_MISSING: Refusal = {
  code: "reason-missing",
  message: "--allow-unmerged needs --reason",
  hint: 'say why this cannot wait for the merge: --allow-unmerged --reason "…"',
};

const DIFF_OF_APPLY: Refusal = {
  code: "diff-of-apply",
  message: "--diff shows what would become of files, and this apply would change them",
  hint: "look first: rollcall apply --dry-run --diff, or rollcall check --diff",
};

/** Only what was reviewed is applied: a clean tree whose HEAD is on the main branch. */
export function objectionTo(standing: RepositoryStanding): Refusal | null {
  const way = 'or pass --allow-unmerged --reason "…"';
  if (!standing.git || standing.head === null) {
    const message = "this folder has no git history, so nobody can have reviewed it";
    return { code: "unmerged", message, hint: `commit it and merge it to the main branch, ${way}` };
  }
  if (standing.dirty.length > 0) {
    const [first] = standing.dirty;
    const more = standing.dirty.length > 1 ? ` and ${standing.dirty.length - 1} more` : "";
    return {
      code: "dirty-tree",
      message: `not as in the last commit: ${first}${more}`,
      hint: `commit and merge, or stash them, ${way}`,
    };
  }
  if (standing.mainBranch === null) {
    const message = "no main branch was found, so it cannot be told whether HEAD was merged";
    return { code: "unmerged", message, hint: `create the branch main or fetch origin, ${way}` };
  }
  if (!standing.merged) {
    const message = `HEAD ${standing.head.slice(0, 12)} is not on ${standing.mainBranch}`;
    return { code: "unmerged", message, hint: `merge it first, ${way}` };
  }
  if (standing.behind) {
    const message = `${standing.mainBranch} has changed the fleet since HEAD ${standing.head.slice(0, 12)}`;
    return {
      code: "behind-main",
      message,
      hint: `check out ${standing.mainBranch}, or revert what should go back, ${way}`,
    };
  }
  return null;
}
