import type { NodeTarget } from "../../model/node.ts";
import type { ChangeRequest } from "../../model/node-effect.ts";
import type { NodeQuestions } from "../../model/node-question.ts";
import type { ChangeResult, NodeFailure, Observation, Transport } from "../../ports.ts";
import { progressOf } from "../../shell/outcome-file.ts";
import { answer } from "./answers.ts";
import { runsProgram } from "./effects.ts";
import { type Boundary, type CallMatch, CONNECT_FAULTS, ControllerKilled, type Fault, sameBoundary } from "./faults.ts";
import type { EffectResult, MemoryNode } from "./memory-node.ts";
import { isOwn, NodeRun, type RunHooks } from "./node-run.ts";
import { letTimePass } from "./unit-effects.ts";

/** Nodes by name: they outlive the transports that reach them. */
export type MemoryFleet = ReadonlyMap<string, MemoryNode>;

/** How long it seems to be since the last contact, milliseconds. */
const BETWEEN_CONTACTS_MS = 60_000;

interface Call {
  readonly target: NodeTarget;
  readonly kind: CallMatch["kind"];
  readonly faults: readonly Fault[];
}

/**
 * One controller's way to nodes in memory: for simulation, and for tests of everything that can go wrong. Nothing waits
 * and no clock is read; the same calls give the same answers.
 */
export class MemoryTransport implements Transport {
  readonly #fleet: MemoryFleet;
  readonly #faults: readonly Fault[];
  readonly #calls = new Map<string, { observe: number; change: number }>();
  #state: "open" | "killed" | "closed" = "open";

  constructor(fleet: MemoryFleet, faults: readonly Fault[] = []) {
    this.#fleet = fleet;
    this.#faults = faults;
  }

  /** Round trips to a node so far. */
  calls(node: string): { readonly observe: number; readonly change: number } {
    return this.#calls.get(node) ?? { observe: 0, change: 0 };
  }

  async observe(target: NodeTarget, questions: NodeQuestions): Promise<Observation> {
    const node = await this.#contact(target, "observe");
    return "kind" in node ? node : { kind: "observed", facts: answer(node.node, questions) };
  }

  async change(target: NodeTarget, request: ChangeRequest, onStep: (index: number) => void): Promise<ChangeResult> {
    const contact = await this.#contact(target, "change");
    if ("kind" in contact) return contact;
    const { node, call } = contact;
    const cut = this.#breakAt("begin", node, call, null);
    if (cut !== null) return cut;
    const refusal = claim(node, request);
    if (refusal !== null) return refusal;
    const intervene = intervention(call, request);
    const run = new NodeRun(node, request, { onStep, intervene });
    for (let at = run.next(); at !== undefined; at = run.next()) {
      const lost = this.#breakAt(at, node, call, run);
      if (lost !== null) return lost;
    }
    const lost = this.#breakAt("end", node, call, null);
    if (lost !== null) return lost;
    if (run.fenced) return fenced(node);
    return { kind: "changed", steps: run.steps, facts: answer(node, request.questions) };
  }

  async close(): Promise<void> {
    if (this.#state === "open") this.#state = "closed";
  }

  async #contact(target: NodeTarget, kind: CallMatch["kind"]): Promise<NodeFailure | { node: MemoryNode; call: Call }> {
    this.#mustBeOpen();
    const counted = this.calls(target.name);
    this.#calls.set(target.name, { ...counted, [kind]: counted[kind] + 1 });
    const faults = this.#faults.filter((fault) => concerns(fault, target.name, kind, counted[kind]));
    for (const fault of faults) {
      for (let turn = 0; fault.fault === "late" && turn < fault.turns; turn++) await Promise.resolve();
    }
    this.#mustBeOpen();
    const node = this.#fleet.get(target.name);
    const failure = node === undefined ? failureOf("unreachable") : connectFailure(faults, target);
    if (node === undefined || failure !== undefined) return failure ?? failureOf("unreachable");
    letTimePass(node, BETWEEN_CONTACTS_MS);
    node.atWork?.goOn();
    return { node, call: { target, kind, faults } };
  }

  /** A killed process makes no more calls, and those it was in never return. */
  #mustBeOpen(): void {
    if (this.#state === "killed") throw new ControllerKilled("this controller was killed");
    if (this.#state === "closed") throw new Error("the transport is closed");
  }

  #breakAt(at: Boundary, node: MemoryNode, call: Call, run: NodeRun | null): NodeFailure | null {
    for (const fault of call.faults) {
      if (!("at" in fault) || !sameBoundary(fault.at, at)) continue;
      if (fault.fault === "taken-over") {
        node.fence = fault.by;
        continue;
      }
      node.atWork = run === null ? node.atWork : run.orphan(fault.orphan);
      if (fault.fault === "link-lost") return lostLink();
      this.#state = "killed";
      throw new ControllerKilled(`killed at ${typeof at === "string" ? at : `step ${at.step}, effect ${at.effect}`}`);
    }
    return null;
  }
}

/** As `claimFence` and the lock of `src/shell`: null when the node is this run's and nobody else is at work on it. */
function claim(node: MemoryNode, request: ChangeRequest): Exclude<ChangeResult, { kind: "changed" }> | null {
  const { seen, epoch, lastRun } = request.fence;
  const own = { epoch, runId: request.runId };
  const asSeen = seen === null ? node.fence === null : isOwn(node.fence, seen);
  if (!asSeen) return { kind: "stale", by: node.fence, facts: answer(node, request.questions) };
  if (node.fence !== null && node.fence.runId !== own.runId && epoch <= node.fence.epoch) return fenced(node);
  node.fence = own;
  const waited = node.atWork !== null;
  if (node.atWork?.stop() === false) return failureOf("busy", "an older run is still at work and did not stop in time");
  // What was done since is not in the facts from which these steps were decided.
  const wentOn = lastRun !== undefined && progressOf(lastRun) !== progressOf(node.lastRun);
  return waited || wentOn ? { kind: "stale", by: seen, facts: answer(node, request.questions) } : null;
}

function intervention(call: Call, request: ChangeRequest): RunHooks["intervene"] {
  if (call.faults.length === 0) return null;
  return (effect, at, run): EffectResult => {
    for (const fault of call.faults) {
      if (fault.fault === "slow" && runsProgram(effect) && fault.programMs > request.stepTimeoutMs) {
        return { code: "step-timeout", detail: `still running after ${request.stepTimeoutMs / 1000} seconds` };
      }
      if (fault.fault !== "effect-fails" || !sameBoundary(fault, at)) continue;
      if (fault.done) run();
      return { code: fault.code, detail: fault.detail };
    }
    return run();
  };
}

function concerns(fault: Fault, node: string, kind: CallMatch["kind"], nth: number): boolean {
  if (fault.node !== node) return false;
  return fault.on === undefined || (fault.on.kind === kind && (fault.on.nth ?? nth) === nth);
}

function connectFailure(faults: readonly Fault[], target: NodeTarget): NodeFailure | undefined {
  for (const fault of faults) {
    if (fault.fault in CONNECT_FAULTS) return failureOf(fault.fault as keyof typeof CONNECT_FAULTS);
    if (fault.fault === "slow" && fault.connectMs > target.connectTimeoutMs) return failureOf("unreachable");
  }
  return undefined;
}

function fenced(node: MemoryNode): NodeFailure {
  return failureOf("fenced", `run ${node.fence?.runId ?? "of another controller"} took the node over`);
}

function lostLink(): NodeFailure {
  return failureOf("unknown", "the link was lost before the end of the answer; apply again to read what happened");
}

function failureOf(outcome: keyof typeof CONNECT_FAULTS): NodeFailure;
function failureOf(outcome: NodeFailure["outcome"], message: string): NodeFailure;
function failureOf(outcome: NodeFailure["outcome"], message?: string): NodeFailure {
  return { kind: "failure", outcome, message: message ?? CONNECT_FAULTS[outcome as keyof typeof CONNECT_FAULTS] };
}
