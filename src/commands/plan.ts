import { simulate } from "../engine/simulate.ts";
import type { PlanDocument } from "../model/plan-document.ts";
import { boardExit, boardOf } from "../plan/board.ts";
import { planFleet } from "../plan/planner.ts";
import { FAULT_HINT, parseFaults } from "../plan/simulated-faults.ts";
import { type PlanView, renderPlan } from "../render/plan.ts";
import { renderSimulation } from "../render/simulation.ts";
import { type PlanAnswer, type PlanDoors, type PlanWish, planDocumentOf } from "./plan-document-of.ts";
import { fencedPlan } from "./plan-fence.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";

/** `plan [--base REF] [--live] [--diff]`: what a merge would do (DESIGN §5). 0, or 2 when something blocks it. */
export async function runPlan(doors: PlanDoors, wish: PlanWish, view: PlanView): Promise<CommandResult> {
  const answer = await answerOf(doors, wish);
  return "refusal" in answer ? refused(answer.refusal, answer.exitCode) : planResult(answer.document, view);
}

async function answerOf(doors: PlanDoors, wish: PlanWish): Promise<PlanAnswer> {
  const answer = await planDocumentOf(doors, wish);
  return "refusal" in answer || wish.base !== null ? answer : fencedPlan(answer, doors.repository);
}

function planResult(document: PlanDocument, view: PlanView): CommandResult {
  return {
    exitCode: document.blocks.length > 0 ? EXIT.refused : EXIT.ok,
    document,
    text: (paint) => renderPlan(document, paint, view),
  };
}

/** `plan --simulate FAULTS`: what the merge run would go through; 0, 64 for faults that nobody understands, 2 when blocked. */
export async function runSimulation(doors: PlanDoors, wish: PlanWish, text: string): Promise<CommandResult> {
  const answer = await answerOf({ ...doors, open: null }, wish);
  if ("refusal" in answer) return refused(answer.refusal, answer.exitCode);
  const { document, made } = answer;
  if (made === null || document.blocks.length > 0) return planResult(document, { diff: false });
  const faults = parseFaults(text, new Set(made.state.nodes.map(({ name }) => name)));
  if ("problem" in faults) {
    return refused({ code: "unknown-fault", message: faults.problem, hint: FAULT_HINT }, EXIT.usage);
  }
  const commit = document.head.commit ?? "0".repeat(40);
  const { state, input, observed, live } = made;
  const { runs, record } = await simulate({ ...input, state, commit, observed, live, faults });
  const desired = { source: "main" as const, branch: "simulated", commit: document.head.commit, unmerged: false };
  const board = boardOf(planFleet(state, record, input.now), { desired, record });
  return {
    exitCode: EXIT.ok,
    document: { simulated: text, runs, board },
    text: (paint) => renderSimulation({ simulated: text, runs, board, boardExit: boardExit(board) }, paint),
  };
}
