import { check } from "../engine/check.ts";
import type { RunContext } from "../engine/run-context.ts";
import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { Repository } from "../ports.ts";
import { renderCheck } from "../render/fleet-result.ts";
import { isResult, loadState } from "./load-state.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import { type Selection, selectNodes } from "./select-nodes.ts";

/** `check [NODE…]`: drift, read-only. 0 none, 1 drift, 4 some node was not observed (DESIGN §5). */
export async function runCheck(
  repository: Repository,
  run: (parallel: number) => RunContext,
  selection: Selection,
): Promise<CommandResult> {
  const state = loadState(await repository.workingTree());
  if (isResult(state)) return state;
  const works = selectNodes(state, selection);
  if ("code" in works) return refused(works, EXIT.usage);
  const result = await check(works, run(state.fleet.rollout.parallel));
  return {
    exitCode: checkExit(result.outcomes),
    document: result,
    text: (paint) => renderCheck(result, paint),
  };
}

export function checkExit(outcomes: readonly NodeOutcome[]): number {
  if (outcomes.some(({ outcome }) => !OUTCOMES[outcome].observed)) return EXIT.notObserved;
  return outcomes.every(({ outcome }) => OUTCOMES[outcome].good) ? EXIT.ok : EXIT.failed;
}
