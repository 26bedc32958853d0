import type { ChangeRequest } from "../model/node-effect.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { NodeQuestions } from "../model/node-question.ts";
import { renderChange } from "./change-script.ts";
import { effectFunctions, renderEffect } from "./effects/index.ts";
import { parseIdentity, renderIdentity } from "./questions/identity.ts";
import { parseQuestions, renderQuestions } from "./questions/index.ts";
import { type ScriptSetting, wholeScript } from "./script.ts";

/** The script that asks (DESIGN §3.2: all observers of a node travel in one round trip). Read-only. */
export function observeScript(questions: NodeQuestions, setting: ScriptSetting): string {
  return wholeScript(observation(questions), setting);
}

/** The script that claims the node, runs the steps and asks again (DESIGN §3.2: one more round trip). */
export function changeScript(request: ChangeRequest, setting: ScriptSetting): string {
  const functions = effectFunctions(request.steps.flatMap((step) => step.effects));
  const change = renderChange(request, observation(request.questions), renderEffect);
  return wholeScript(`${functions}\n${change}`, setting);
}

/** The facts in a complete answer to either. */
export function factsFrom(sections: ReadonlyMap<string, string>, questions: NodeQuestions): NodeFacts {
  return { ...parseIdentity(sections), ...parseQuestions(sections, questions) };
}

function observation(questions: NodeQuestions): string {
  return `${renderIdentity()}\n${renderQuestions(questions)}`;
}
