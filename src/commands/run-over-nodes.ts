import type { DesiredState } from "../desired/desired-state.ts";
import type { NodeWork } from "../engine/node-work.ts";
import type { RunContext } from "../engine/run-context.ts";
import { secretValues } from "../engine/secret-values.ts";
import type { Repository } from "../ports.ts";
import { isResult, loadState } from "./load-state.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import { type Selection, selectNodes } from "./select-nodes.ts";

/** A run, once it is known how many nodes may be at work at one time. */
export type OpenRun = (parallel: number) => RunContext;

/** What every verb over nodes does first: load, choose, look up secrets. What stands in the way is answered, exit code and all. */
export async function runOverNodes(
  repository: Repository,
  open: OpenRun,
  selection: Selection,
  work: (works: readonly NodeWork[], run: RunContext, state: DesiredState) => Promise<CommandResult>,
): Promise<CommandResult> {
  const state = loadState(await repository.workingTree());
  if (isResult(state)) return state;
  const run = open(state.fleet.rollout.parallel);
  const secrets = await secretValues(state, run.secrets);
  if ("kind" in secrets) return refused(secrets, EXIT.failed);
  const works = selectNodes(state, selection, secrets);
  return "code" in works ? refused(works, EXIT.usage) : work(works, run, state);
}
