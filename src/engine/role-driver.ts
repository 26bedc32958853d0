import type { DesiredState } from "../desired/desired-state.ts";
import { isConverged } from "../model/drift-report.ts";
import type { Grade } from "../model/marker.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { RolloutTarget } from "../model/rollout-event.ts";
import { parseUnit } from "../model/unit.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import type { Unit } from "../plan/unit.ts";
import type { SecretValues } from "../resources/contract.ts";
import { type Convergence, convergeNode } from "./converge-node.ts";
import { inParallel } from "./in-parallel.ts";
import { Machines } from "./machines.ts";
import { nodeReport } from "./node-report.ts";
import { nodeWork } from "./node-work.ts";
import { duplicateMachine } from "./observe-fleet.ts";
import { driftReport, type NodeObservation, type ObservedNode, observeNode } from "./observe-node.ts";
import { roleMarker } from "./role-marker.ts";
import type { RunContext } from "./run-context.ts";
import type { Attempt, CarriedOut, UnitDriver } from "./unit-driver.ts";

interface RoleDriverOptions {
  readonly state: DesiredState;
  readonly secrets: SecretValues;
  /** As it was when the run began: which machine each node was last. */
  readonly record: Pick<ObservedRecord, "states" | "reports">;
}

/**
 * Roles (DESIGN §3.2): a role is in when the second observation finds nothing of it that differs. A node that is to let go
 * of a role is through when nothing of that role is left to do there.
 */
export class RoleDriver implements UnitDriver {
  readonly #state: DesiredState;
  readonly #secrets: SecretValues;
  readonly #nodes: ReadonlyMap<string, DesiredState["nodes"][number]>;
  readonly #machines: Machines;
  /** First observations that nobody has acted on yet, by unit and node. */
  readonly #looks = new Map<string, NodeObservation>();

  constructor({ state, secrets, record }: RoleDriverOptions) {
    this.#state = state;
    this.#nodes = new Map(state.nodes.map((node) => [node.name, node]));
    this.#secrets = secrets;
    this.#machines = new Machines(state, record);
  }

  async look(unit: Unit, targets: readonly RolloutTarget[], run: RunContext): Promise<void> {
    await inParallel(targets, run.parallel, async (target) => {
      const observation = await this.#observe(unit, target, run);
      this.#looks.set(keyOf(unit, target), observation);
      if (observation.kind === "observed") this.#machines.seen(target.node, machineOf(observation.observed));
    });
  }

  async carryOut(unit: Unit, target: RolloutTarget, attempt: Attempt, run: RunContext): Promise<CarriedOut> {
    const known = this.#looks.get(keyOf(unit, target));
    this.#looks.delete(keyOf(unit, target));
    const observation = known ?? (await this.#observe(unit, target, run));
    if (observation.kind === "left") return nothing(observation.outcome);
    const { observed } = observation;
    this.#machines.seen(target.node, machineOf(observed));
    const shared = this.#machines.namesOf(machineOf(observed));
    if (shared.length > 1) return nothing(finished(duplicateMachine(target.node, shared), run));
    const { outcome, after } = await convergeNode(observed, run);
    finished(outcome, run);
    return this.#answer(unit, target, { before: observed, outcome, after, attempt, run });
  }

  async #observe(unit: Unit, target: RolloutTarget, run: RunContext): Promise<NodeObservation> {
    const node = this.#nodes.get(target.node);
    const role = parseUnit(unit.id)?.name;
    if (node === undefined || role === undefined) throw new Error(`${unit.id} on ${target.node}: not of this fleet`);
    const work = nodeWork(this.#state, node, new Set([role]), this.#secrets);
    return observeNode(target.action === "release" ? { ...work, letsGo: true } : work, run);
  }

  #answer(unit: Unit, target: RolloutTarget, visit: Visit): CarriedOut {
    const { before, outcome, after, attempt, run } = visit;
    const last = after ?? before;
    const isIn = outcome.outcome === "converged" && after !== null;
    const drift = [
      driftReport(before, run.runId, { dryRun: false, stage: "before" }),
      ...(after === null ? [] : [driftReport(after, run.runId, { dryRun: false, stage: "after" })]),
    ];
    const proof = { unit, target, grade: gradeOf(visit), commit: attempt.commit, run };
    return {
      outcome,
      marker: isIn && target.action === "converge" ? roleMarker(last, proof) : null,
      released: isIn && target.action === "release",
      // What was read before steps of which nobody knows the end says nothing of the node as it is.
      report: after === null ? null : nodeReport(last, run.secrets),
      drift,
    };
  }
}

interface Visit extends Convergence {
  readonly before: ObservedNode;
  readonly attempt: Attempt;
  readonly run: RunContext;
}

/**
 * What a run that was cut off did is a transition too: its outcome file on the node says that it was there (DESIGN §3.3: to tell
 * the two apart after a crash).
 */
function gradeOf({ before, attempt }: Visit): Grade {
  if (!isConverged(before.entries.map(({ item }) => item))) return "transition";
  const { lastRun } = before.facts;
  const wasAtWork = lastRun !== null && attempt.earlierRuns.has(lastRun.runId) && lastRun.steps.length > 0;
  return wasAtWork ? "transition" : "already-true";
}

function machineOf({ facts }: ObservedNode): string | null {
  return facts.identity.machineId;
}

function keyOf({ id }: Unit, { node }: RolloutTarget): string {
  return `${id} ${node}`;
}

function finished(outcome: NodeOutcome, run: RunContext): NodeOutcome {
  run.progress.event({ kind: "finished", node: outcome.node, outcome: outcome.outcome });
  return outcome;
}

function nothing(outcome: NodeOutcome): CarriedOut {
  return { outcome, marker: null, released: false, report: null, drift: [] };
}
