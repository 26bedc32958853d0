import type { DesiredState } from "../desired/desired-state.ts";
import type { NodeWork } from "../engine/node-work.ts";
import type { RunContext } from "../engine/run-context.ts";
import { secretValues } from "../engine/secret-values.ts";
import type { DesiredFiles, Repository } from "../ports.ts";
import type { FleetView } from "../render/fleet-result.ts";
import type { SecretValues } from "../resources/contract.ts";
import type { Selection } from "./criteria.ts";
import { isResult, loadState } from "./load-state.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import { selectNodes } from "./select-nodes.ts";

/** A run, once it is known how many nodes may be at work at one time. */
export type OpenRun = (parallel: number) => RunContext;

/** A run that can begin: the fleet as these files declare it, and whom it is about. */
export interface ChosenFleet {
  readonly state: DesiredState;
  readonly secrets: SecretValues;
  readonly works: readonly NodeWork[];
  readonly run: RunContext;
  readonly view: FleetView;
}

/** Load, look up secrets, choose; or what stands in the way, exit code and all. `unusable`: of files that cannot be used. */
export async function chosenFleet(
  files: DesiredFiles,
  open: OpenRun,
  selection: Selection,
  unusable: number,
): Promise<ChosenFleet | CommandResult> {
  const state = loadState(files);
  if (isResult(state)) return { ...state, exitCode: unusable };
  const run = open(state.fleet.rollout.parallel);
  const secrets = await secretValues(state, run.secrets);
  if ("kind" in secrets) return refused(secrets, unusable);
  const selected = selectNodes(state, selection, secrets);
  if ("code" in selected) return refused(selected, EXIT.usage);
  const classes = new Map(state.nodes.map((node) => [node.name, node.class]));
  const view = { classOf: (node: string) => classes.get(node) ?? "", leftOut: selected.leftOut };
  return { state, secrets, works: selected.works, run, view };
}

/** What every verb over nodes does first, on the working tree. */
export async function runOverNodes(
  repository: Repository,
  open: OpenRun,
  selection: Selection,
  /** For a repository that cannot be used: nothing was asked and nothing done. */
  unusable: number,
  work: (fleet: ChosenFleet) => Promise<CommandResult>,
): Promise<CommandResult> {
  const fleet = await chosenFleet(await repository.workingTree(), open, selection, unusable);
  return "exitCode" in fleet ? fleet : work(fleet);
}
