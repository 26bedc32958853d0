import { check } from "../engine/check.ts";
import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { Repository } from "../ports.ts";
import { renderCheck } from "../render/fleet-result.ts";
import type { Selection } from "./criteria.ts";
import { type CommandResult, EXIT } from "./result.ts";
import { type OpenRun, runOverNodes } from "./run-over-nodes.ts";

export interface CheckOptions extends Selection {
  /** Also what the content of files would become. */
  readonly diff: boolean;
}

/** `check [NODE…]`: drift, read-only. 0 none, 1 drift, 4 some node was not observed (DESIGN §5). */
export async function runCheck(repository: Repository, open: OpenRun, options: CheckOptions): Promise<CommandResult> {
  return runOverNodes(repository, open, options, EXIT.notObserved, async ({ works, run, view }) => {
    const result = await check(works, run, { diff: options.diff });
    return {
      exitCode: checkExit(result.outcomes),
      document: { ...result, left_out: view.leftOut },
      text: (paint) => renderCheck(result, view, paint),
    };
  });
}

export function checkExit(outcomes: readonly NodeOutcome[]): number {
  if (outcomes.some(({ outcome }) => !OUTCOMES[outcome].observed)) return EXIT.notObserved;
  return outcomes.every(({ outcome }) => OUTCOMES[outcome].good) ? EXIT.ok : EXIT.failed;
}
