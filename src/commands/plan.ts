import type { PlanDocument } from "../model/plan-document.ts";
import { renderPlan } from "../render/plan.ts";
import { type PlanDoors, type PlanWish, planDocumentOf } from "./plan-document-of.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";

/** `plan [--base REF] [--live]`: what a merge would do (DESIGN §5). 0, or 2 when something blocks it. */
export async function runPlan(doors: PlanDoors, wish: PlanWish): Promise<CommandResult> {
  const answer = await planDocumentOf(doors, wish);
  return "refusal" in answer ? refused(answer.refusal, answer.exitCode) : planResult(answer.document);
}

export function planResult(document: PlanDocument): CommandResult {
  return {
    exitCode: document.blocks.length > 0 ? EXIT.refused : EXIT.ok,
    document,
    text: (paint) => renderPlan(document, paint),
  };
}
