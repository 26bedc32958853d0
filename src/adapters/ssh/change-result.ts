import type { ChangeRequest } from "../../model/node-effect.ts";
import type { NodeFacts, NodeFence, StepResult } from "../../model/node-facts.ts";
import type { ChangeResult, NodeFailure } from "../../ports.ts";
import type { Verdict } from "../../shell/change-script.ts";
import type { RunOutcome } from "../../shell/outcome-file.ts";
import { STATE_FOLDER } from "../../shell/state-folder.ts";

/** What the node said about a change, as the port's result; `said` is its last word on stderr, `: words` or nothing. */
export function changeResult(
  verdict: Verdict | undefined,
  request: ChangeRequest,
  facts: () => NodeFacts,
  said: string,
): ChangeResult {
  switch (verdict?.kind) {
    case "ran":
      if (verdict.outcome.fenced) return fenced(verdict.outcome, request);
      return { kind: "changed", steps: stepResults(verdict.outcome, request), facts: facts() };
    case "stale":
      return { kind: "stale", by: verdict.by, facts: facts() };
    case "fenced":
      return failure("fenced", `${runName(verdict.by)} claimed this node first; nothing was done`);
    case "busy":
      return failure("busy", "an older run is still at work on this node and did not stop in time; apply again later");
    case "missing":
      return failure("unsupported-node", `${verdict.programs} is not there, and nothing can be done without it`);
    case "unwritable":
      return failure(
        "unsupported-node",
        `${STATE_FOLDER} cannot be written${said}; it needs root (become: sudo) and room`,
      );
    default:
      return failure("unknown", "the node's answer says nothing about the steps; check it, then apply again");
  }
}

/** Every step has a result: one that the node does not speak of was not begun. */
function stepResults(outcome: RunOutcome, request: ChangeRequest): StepResult[] {
  const known = new Map(outcome.steps.map((step) => [step.index, step]));
  return request.steps.map(
    (_step, index) =>
      known.get(index) ?? { index, state: "skipped", code: null, detail: "the run was ended on the node before it" },
  );
}

function fenced(outcome: RunOutcome, request: ChangeRequest): NodeFailure {
  const done = outcome.steps.filter((step) => step.state === "done").length;
  const message = `${runName(outcome.fencedBy)} took this node over after ${done} of ${request.steps.length} steps`;
  return failure("fenced", message);
}

function runName(fence: NodeFence | null): string {
  return fence === null ? "a newer run" : `run ${fence.runId}`;
}

function failure(outcome: NodeFailure["outcome"], message: string): NodeFailure {
  return { kind: "failure", outcome, message };
}
