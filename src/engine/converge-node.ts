import { isConverged } from "../model/drift-report.ts";
import type { Step } from "../model/node-effect.ts";
import type { StepResult } from "../model/node-facts.ts";
import type { NodeOutcome, OutcomeCode } from "../model/node-outcome.ts";
import type { DriftEntry } from "../plan/drift.ts";
import { stepsFor } from "../plan/steps.ts";
import type { ChangeResult } from "../ports.ts";
import { type ObservedNode, observedNode } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

/** How long a started unit must stand before it is read, milliseconds (cases.md 4: exit 0 of a start is no proof). */
const SETTLE_MS = 500;
/** How often the steps are decided anew because another run changed the node in between. */
const STALE_ROUNDS = 3;

export interface Convergence {
  readonly outcome: NodeOutcome;
  /** The last observation; null when the node could not be read again. */
  readonly after: ObservedNode | null;
}

/**
 * Makes one node as declared: all steps and the second observation in one round trip (DESIGN §3.2). Steps that another
 * run made stale are decided again from what the node answered instead; nothing is ever replayed.
 */
export async function convergeNode(before: ObservedNode, run: RunContext): Promise<Convergence> {
  let current = before;
  for (let round = 0; round < STALE_ROUNDS; round++) {
    const steps = stepsFor(current.entries, current.work.roles, current.facts);
    if (steps.length === 0) return { outcome: verdict(current, [], []), after: current };
    const startedAt = run.clock.now();
    const result = await change(current, steps, run);
    if (result.kind === "failure") return { outcome: failure(before, result.outcome, result.message), after: null };
    current = observedNode(before.work, result.facts, startedAt, run.clock.now());
    if (result.kind === "changed") return { outcome: verdict(current, steps, result.steps), after: current };
  }
  const message = "another run keeps changing this node; wait for it to end, then apply again";
  return { outcome: failure(before, "busy", message), after: current };
}

function change(current: ObservedNode, steps: readonly Step[], run: RunContext): Promise<ChangeResult> {
  const { facts, work } = current;
  const request = {
    runId: run.runId,
    fence: { epoch: (facts.fence?.epoch ?? 0) + 1, seen: facts.fence, lastRun: facts.lastRun },
    steps,
    confidential: work.confidential,
    questions: work.questions,
    stepTimeoutMs: work.target.stepTimeoutMs,
    settleMs: SETTLE_MS,
  };
  return run.transport.change(work.target, request, (index) => {
    const what = steps[index]?.resource ?? "";
    run.progress.event({ kind: "acting", node: work.node.name, step: index + 1, of: steps.length, what });
  });
}

function verdict(after: ObservedNode, steps: readonly Step[], results: readonly StepResult[]): NodeOutcome {
  const failed = results.find((result) => result.state === "failed" || result.state === "cut-off");
  if (failed !== undefined) return failure(after, "failed", failedStep(steps, results, failed));
  const enforced = after.entries.filter((entry) => entry.role.mode === "enforce");
  if (isConverged(enforced.map((entry) => entry.item))) return failure(after, "converged", "");
  const first = enforced.find((entry) => entry.finding.severity !== "warn");
  return failure(after, "not-converged", first === undefined ? "" : stillDiffers(first));
}

function failure(of: ObservedNode, outcome: OutcomeCode, message: string): NodeOutcome {
  return { node: of.work.node.name, outcome, message };
}

function failedStep(steps: readonly Step[], results: readonly StepResult[], failed: StepResult): string {
  const skipped = results.filter((result) => result.state === "skipped").length;
  const detail = failed.detail.trim().split("\n").at(-1) ?? "";
  const rest = skipped === 0 ? "" : `; ${skipped} later ${skipped === 1 ? "step" : "steps"} of the role left out`;
  const code = failed.state === "cut-off" ? "cut off" : (failed.code ?? "failed");
  return `${steps[failed.index]?.resource ?? "?"}: ${code}${detail === "" ? "" : `: ${detail}`}${rest}`;
}

function stillDiffers(entry: DriftEntry): string {
  return `${entry.item.resource.id} still differs after the apply: ${entry.finding.reasons.join(", ")}`;
}
