import type { DesiredState } from "../desired/desired-state.ts";
import type { NodeWork } from "../engine/node-work.ts";
import type { RunContext } from "../engine/run-context.ts";
import { secretValues } from "../engine/secret-values.ts";
import type { Repository } from "../ports.ts";
import type { FleetView } from "../render/fleet-result.ts";
import type { Selection } from "./criteria.ts";
import { isResult, loadState } from "./load-state.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import { selectNodes } from "./select-nodes.ts";

/** A run, once it is known how many nodes may be at work at one time. */
export type OpenRun = (parallel: number) => RunContext;

/** What every verb over nodes does first: load, choose, look up secrets. What stands in the way is answered, exit code and all. */
export async function runOverNodes(
  repository: Repository,
  open: OpenRun,
  selection: Selection,
  /** For a repository that cannot be used: nothing was asked and nothing done. */
  unusable: number,
  work: (works: readonly NodeWork[], run: RunContext, view: FleetView, state: DesiredState) => Promise<CommandResult>,
): Promise<CommandResult> {
  const state = loadState(await repository.workingTree());
  if (isResult(state)) return { ...state, exitCode: unusable };
  const run = open(state.fleet.rollout.parallel);
  const secrets = await secretValues(state, run.secrets);
  if ("kind" in secrets) return refused(secrets, unusable);
  const selected = selectNodes(state, selection, secrets);
  if ("code" in selected) return refused(selected, EXIT.usage);
  const classes = new Map(state.nodes.map((node) => [node.name, node.class]));
  const view = { classOf: (node: string) => classes.get(node) ?? "", leftOut: selected.leftOut };
  return work(selected.works, run, view, state);
}
