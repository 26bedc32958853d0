import { stableJson } from "../kit/stable-json.ts";
import type { Step } from "../model/node-effect.ts";
import type { StepResult } from "../model/node-facts.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { OwnedChange } from "../model/owned-resource.ts";
import type { DriftEntry } from "../plan/drift.ts";
import { ownedChange } from "../plan/owned-change.ts";
import { actedOn, stepsFor } from "../plan/steps.ts";
import type { ChangeResult } from "../ports.ts";
import { FencingToken } from "./fencing-token.ts";
import { verdict } from "./node-verdict.ts";
import { rolesAtWork } from "./node-work.ts";
import { type ObservedNode, observedNode, questionsOf } from "./observe-node.ts";
import { besideKeys } from "./restarts-beside.ts";
import type { RunContext } from "./run-context.ts";

/** How long a started unit must stand before it is read, milliseconds (cases.md 4: exit 0 of a start is no proof). */
const SETTLE_MS = 500;
/** How often the steps are decided anew because another run changed the node in between. */
const STALE_ROUNDS = 3;
/** How many released folders may stand in each other and still go in one apply. */
const RELEASE_ROUNDS = 12;

export interface Convergence {
  readonly outcome: NodeOutcome;
  /** The last observation; null when the node could not be read again. */
  readonly after: ObservedNode | null;
}

/**
 * Makes one node as declared: all steps and the second observation in one round trip (DESIGN §3.2). Steps that another
 * run made stale are decided again from what the node answered instead; nothing is ever replayed. A released folder that
 * the steps have emptied, as only the second observation tells, goes in a round of its own.
 */
export async function convergeNode(before: ObservedNode, run: RunContext): Promise<Convergence> {
  let round = await convergeOnce(before, run, () => true);
  for (let more = 0; more < RELEASE_ROUNDS && round.after !== null && canGoOn(round); more++) {
    const next = await convergeOnce(round.after, run, ({ release }) => release !== undefined);
    if (next.after === null) return next;
    round = next;
  }
  return round;
}

function canGoOn({ outcome, after }: Convergence): boolean {
  if (outcome.outcome !== "not-converged" || after === null) return false;
  return after.entries.some(({ release }) => release?.ready === true);
}

/** `isDue`: what of the drift these steps are about. */
async function convergeOnce(
  before: ObservedNode,
  run: RunContext,
  isDue: (entry: DriftEntry) => boolean,
): Promise<Convergence> {
  let current = before;
  const watched = new Set<string>();
  const token = new FencingToken(run);
  for (let round = 0; round < STALE_ROUNDS; round++) {
    const due = current.entries.filter(isDue);
    const steps = stepsFor(due, rolesAtWork(current.work), current.facts);
    // What is adopted as it stands is not written to, not even in our own folder; what was released leaves the record.
    if (steps.length === 0 && current.release.settled.length === 0) {
      return {
        outcome: verdict({ before: current, after: current, steps, results: [], recorded: true }),
        after: current,
      };
    }
    const owned = ownedOf(current, due);
    const startedAt = run.clock.now();
    const epoch = await token.above(current.facts.fence);
    if (epoch === null) return { outcome: fenced(current), after: null };
    for (const key of besideKeys(current.work, due)) watched.add(key);
    const result = await change(current, { steps, owned, epoch }, run);
    if (result.kind === "failure") {
      return {
        outcome: { node: before.work.node.name, outcome: result.outcome, message: result.message },
        after: null,
      };
    }
    const after = observedNode(before.work, result.facts, startedAt, run.clock.now(), watched);
    if (result.kind === "changed") {
      const recorded = isRecorded(owned, result.steps, after);
      return { outcome: verdict({ before: current, after, steps, results: result.steps, recorded }), after };
    }
    current = after;
  }
  const message = "another run keeps changing this node; wait for it to end, then apply again";
  return { outcome: { node: before.work.node.name, outcome: "busy", message }, after: current };
}

function fenced({ work, facts }: ObservedNode): NodeOutcome {
  const by = facts.fence === null ? "another run" : `run ${facts.fence.runId}`;
  return { node: work.node.name, outcome: "fenced", message: `${by} took the fleet's lock and this node over` };
}

function ownedOf({ reading, release, entries, work }: ObservedNode, due: readonly DriftEntry[]): OwnedChange {
  const acted = actedOn(due, rolesAtWork(work));
  return ownedChange({ reading, release, entries, acted, roles: work.everyRole, only: work.only });
}

function isRecorded(owned: OwnedChange, results: readonly StepResult[], { facts }: ObservedNode): boolean {
  const done = new Set(results.filter(({ state }) => state === "done").map(({ index }) => index));
  const expected = owned.after.filter(({ only }) => only === null || done.has(only.step) === only.done);
  return stableJson(expected.map(({ resource }) => resource)) === stableJson(facts.owned.resources);
}

interface Change {
  readonly steps: readonly Step[];
  readonly owned: OwnedChange;
  readonly epoch: number;
}

function change(current: ObservedNode, { steps, owned, epoch }: Change, run: RunContext): Promise<ChangeResult> {
  const { facts, work } = current;
  const request = {
    runId: run.runId,
    fence: { epoch, seen: facts.fence, lastRun: facts.lastRun },
    steps,
    owned,
    confidential: work.confidential,
    questions: questionsOf(work, facts),
    stepTimeoutMs: work.target.stepTimeoutMs,
    settleMs: SETTLE_MS,
  };
  return run.transport.change(work.target, request, (index) => {
    const what = steps[index]?.resource ?? "";
    run.progress.event({ kind: "acting", node: work.node.name, step: index + 1, of: steps.length, what });
  });
}
