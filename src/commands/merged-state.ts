import type { DesiredState } from "../desired/desired-state.ts";
import type { Repository } from "../ports.ts";
import { isResult, loadState } from "./load-state.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";

/** What main says, and nothing else (DESIGN §3.6). */
export interface MergedState {
  readonly branch: string;
  readonly commit: string;
  readonly state: DesiredState;
}

/** Reads the tip of main anew; the answer of a verb that cannot begin, exit 2, when there is none or it is not valid. */
export async function mergedState(repository: Repository): Promise<MergedState | CommandResult> {
  const main = await repository.main();
  const files = main === null ? undefined : await repository.at(main.commit);
  if (main === null || files === undefined) {
    const message = "there is no main branch, so that nothing can have been merged";
    const hint = "commit to the branch main, or fetch origin";
    return refused({ code: "no-main-branch", message, hint }, EXIT.refused);
  }
  const state = loadState(files);
  return isResult(state) ? { ...state, exitCode: EXIT.refused } : { ...main, state };
}
