import { apply } from "../engine/apply.ts";
import type { RunContext } from "../engine/run-context.ts";
import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { Repository, RepositoryStanding } from "../ports.ts";
import { renderApply, renderCheck } from "../render/fleet-result.ts";
import { isResult, loadState } from "./load-state.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";
import { type Selection, selectNodes } from "./select-nodes.ts";

export interface ApplyOptions extends Selection {
  readonly dryRun: boolean;
  /** The escape from applying only what is merged; it needs a reason and is printed loudly. */
  readonly allowUnmerged: boolean;
  readonly reason: string | null;
}

/** `apply [NODE…]`: converge, then read back. 0 converged, 1 failed or not converged, 2 refused (DESIGN §5). */
export async function runApply(
  repository: Repository,
  run: (parallel: number) => RunContext,
  options: ApplyOptions,
): Promise<CommandResult> {
  if (options.allowUnmerged && (options.reason ?? "").trim() === "") return refused(REASON_MISSING, EXIT.usage);
  const state = loadState(await repository.workingTree());
  if (isResult(state)) return state;
  const works = selectNodes(state, options);
  if ("code" in works) return refused(works, EXIT.usage);
  const objection = options.dryRun ? null : objectionTo(await repository.standing());
  if (objection !== null && !options.allowUnmerged) return refused(objection, EXIT.refused);
  const result = await apply(works, run(state.fleet.rollout.parallel), { dryRun: options.dryRun });
  const escapes = objection === null ? [] : [{ gate: objection.code, reason: options.reason }];
  return {
    exitCode: applyExit(result.outcomes),
    document: { ...result, escapes },
    text: (paint) => {
      const loud = escapes.map(({ gate, reason }) => `${paint.red(paint.bold(`ESCAPE ${gate}`))}: "${reason}"\n`);
      return loud.join("") + (options.dryRun ? renderCheck(result, paint) : renderApply(result, paint));
    },
  };
}

const REASON_MISSING: Refusal = {
  code: "reason-missing",
  message: "--allow-unmerged needs --reason",
  hint: 'say why this cannot wait for the merge: --allow-unmerged --reason "…"',
};

/** Only what was reviewed is applied: a clean tree whose HEAD is on the main branch. */
function objectionTo(standing: RepositoryStanding): Refusal | null {
  const escape = 'or pass --allow-unmerged --reason "…"';
  if (!standing.git || standing.head === null) {
    const message = "this folder has no git history, so nobody can have reviewed it";
    return { code: "unmerged", message, hint: `commit it and merge it to the main branch, ${escape}` };
  }
  if (standing.dirty.length > 0) {
    const [first] = standing.dirty;
    const more = standing.dirty.length > 1 ? ` and ${standing.dirty.length - 1} more` : "";
    return {
      code: "dirty-tree",
      message: `${first}${more} differ from the last commit`,
      hint: `commit and merge, or stash them, ${escape}`,
    };
  }
  if (standing.mainBranch === null) {
    const message = "no main branch was found, so it cannot be told whether HEAD was merged";
    return { code: "unmerged", message, hint: `create the branch main or fetch origin, ${escape}` };
  }
  if (!standing.merged) {
    const message = `HEAD ${standing.head.slice(0, 12)} is not on ${standing.mainBranch}`;
    return { code: "unmerged", message, hint: `merge it first, ${escape}` };
  }
  return null;
}

/** A node that was refused before anything ran counts as refused only when nothing else went wrong. */
export function applyExit(outcomes: readonly NodeOutcome[]): number {
  const bad = outcomes.filter(({ outcome }) => !OUTCOMES[outcome].good);
  if (bad.length === 0) return EXIT.ok;
  return bad.every(({ outcome }) => REFUSALS.has(outcome)) ? EXIT.refused : EXIT.failed;
}

const REFUSALS = new Set(["identity-mismatch", "duplicate-machine"]);
