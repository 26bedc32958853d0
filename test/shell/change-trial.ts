import type { NodeEffect, Step } from "../../src/model/node-effect.ts";
import type { NodeFence, RunRecord } from "../../src/model/node-facts.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { OwnedChange } from "../../src/model/owned-resource.ts";
import { parseVerdict, renderChange, type Verdict } from "../../src/shell/change-script.ts";
import { runCommand } from "../../src/shell/effects/run-command.ts";
import { type IdentityFacts, parseIdentity, renderIdentity } from "../../src/shell/questions/identity.ts";
import { type Answer, answerOf } from "./real-shells.ts";

export interface Trial {
  readonly runId: string;
  readonly epoch: number;
  readonly seen: NodeFence | null;
  readonly lastRun?: RunRecord | null;
  readonly steps: readonly Step[];
  readonly stepTimeoutMs?: number;
  readonly owned?: OwnedChange;
}

export interface TrialResult {
  readonly verdict: Verdict | undefined;
  readonly facts: IdentityFacts;
  readonly answer: Answer;
}

/** A step that runs a line of shell, of role `role` unless told otherwise. */
export function commandStep(run: string, role = "role", needs: readonly string[] = [role]): Step {
  return { role, resource: `command:${run}`, needs, effects: [{ do: "run-command", run, creates: null }] };
}

export function changeBody(trial: Trial): string {
  const request = {
    runId: trial.runId,
    fence: {
      epoch: trial.epoch,
      seen: trial.seen,
      ...(trial.lastRun === undefined ? {} : { lastRun: trial.lastRun }),
    },
    steps: trial.steps,
    ...(trial.owned === undefined ? {} : { owned: trial.owned }),
    questions: NO_QUESTIONS,
    stepTimeoutMs: trial.stepTimeoutMs ?? 20_000,
    settleMs: 0,
  };
  return renderChange(request, renderIdentity(), renderCommand);
}

/** One change on this machine, with `folder` for the node's state. */
export async function tryChange(shell: readonly string[], folder: string, trial: Trial): Promise<TrialResult> {
  return resultOf(await answerOf(shell, changeBody(trial), folder));
}

export async function tryObserve(shell: readonly string[], folder: string): Promise<IdentityFacts> {
  return parseIdentity((await answerOf(shell, renderIdentity(), folder)).frame.sections);
}

function resultOf(answer: Answer): TrialResult {
  const { sections } = answer.frame;
  return { verdict: parseVerdict(sections), facts: parseIdentity(sections), answer };
}

function renderCommand(effect: NodeEffect): string {
  if (effect.do !== "run-command") throw new Error(`not a command: ${effect.do}`);
  return runCommand(effect);
}
