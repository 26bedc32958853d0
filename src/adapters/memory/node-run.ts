import type { ChangeRequest, NodeEffect, Step } from "../../model/node-effect.ts";
import type { NodeFence, StepResult } from "../../model/node-facts.ts";
import type { OwnedResource } from "../../model/owned-resource.ts";
import { perform } from "./effects.ts";
import type { Boundary, Orphan } from "./faults.ts";
import type { EffectResult, MemoryNode, RunAtWork } from "./memory-node.ts";
import { letTimePass } from "./unit-effects.ts";

export interface RunHooks {
  readonly onStep: (index: number) => void;
  /** Does the effect, or fails in its place or after it. */
  readonly intervene: ((effect: NodeEffect, at: EffectPlace, run: () => EffectResult) => EffectResult) | null;
}

/** A reload starts what is down. */
const STARTS = new Set<NodeEffect["do"]>(["start-unit", "restart-unit", "reload-unit"]);

export interface EffectPlace {
  readonly step: number;
  readonly effect: number;
}

/**
 * The steps of one request at work on a node (DESIGN §7): as `src/shell/runner.ts`, it looks at the fence before each
 * step, and leaves out what a failed step forbids. It goes on boundary by boundary, so that a caller can stop anywhere.
 */
export class NodeRun {
  readonly steps: StepResult[] = [];
  fenced = false;
  readonly #node: MemoryNode;
  readonly #request: ChangeRequest;
  #hooks: RunHooks;
  readonly #moments: Generator<Boundary, void>;
  #started = false;

  constructor(node: MemoryNode, request: ChangeRequest, hooks: RunHooks) {
    this.#node = node;
    this.#request = request;
    this.#hooks = hooks;
    this.#moments = this.#perform();
  }

  /** On to the next boundary; undefined when the run has ended. */
  next(): Boundary | undefined {
    const moment = this.#moments.next();
    return moment.done === true ? undefined : moment.value;
  }

  /** Lives on without a controller. */
  orphan(fate: Orphan): RunAtWork | null {
    this.#hooks = { ...this.#hooks, onStep: () => {} };
    if (fate === "dies") return null;
    const toEnd = (): void => {
      while (this.next() !== undefined);
      this.#node.atWork = null;
    };
    if (fate === "hangs") return { goOn: () => {}, stop: () => false };
    const stop = (): boolean => {
      toEnd();
      return true;
    };
    if (fate === "finishes") return { goOn: toEnd, stop };
    return {
      goOn: () => {
        for (let passed = 0; passed < fate.boundaries; passed++) if (this.next() === undefined) return toEnd();
      },
      stop,
    };
  }

  *#perform(): Generator<Boundary, void> {
    const { epoch } = this.#request.fence;
    const { runId } = this.#request;
    this.#record(epoch, runId, false);
    this.#own(this.#request.owned?.before);
    const failed = new Set<string>();
    for (const [index, step] of this.#request.steps.entries()) {
      yield { step: index, effect: 0 };
      this.fenced ||= !isOwn(this.#node.fence, { epoch, runId });
      const blocked = step.needs.some((role) => failed.has(role));
      if (this.fenced || blocked) {
        this.steps.push(skipped(index, this.fenced));
        continue;
      }
      const result = yield* this.#step(step, index);
      if (result !== null) failed.add(step.role);
      this.steps[index] = { index, ...outcomeOf(result) };
    }
    this.#own(this.#ownedAfter());
    if (this.#started && this.#request.settleMs > 0) letTimePass(this.#node, this.#request.settleMs);
    this.#record(epoch, runId, true);
  }

  *#step(step: Step, index: number): Generator<Boundary, EffectResult> {
    this.steps.push({ index, state: "cut-off", code: null, detail: "" });
    this.#hooks.onStep(index);
    for (const [number, effect] of step.effects.entries()) {
      if (number > 0) yield { step: index, effect: number };
      this.#started ||= STARTS.has(effect.do);
      const { intervene } = this.#hooks;
      const run = () => perform(this.#node, effect);
      const result = intervene === null ? run() : intervene(effect, { step: index, effect: number }, run);
      if (result !== null) return result;
    }
    if (step.effects.length > 0) yield { step: index, effect: step.effects.length };
    return null;
  }

  #ownedAfter(): readonly OwnedResource[] | undefined {
    const kept = this.#request.owned?.after.filter(
      ({ only }) => only === null || (this.steps[only.step]?.state === "done") === only.done,
    );
    return kept?.map(({ resource }) => resource);
  }

  #own(resources: readonly OwnedResource[] | undefined): void {
    if (resources === undefined) return;
    this.#node.owned = resources;
    this.#node.rejectedLines = 0;
  }

  #record(epoch: number, runId: string, ended: boolean): void {
    this.#node.lastRun = { runId, epoch, ended, steps: this.steps };
  }
}

export function isOwn(fence: NodeFence | null, own: NodeFence): boolean {
  return fence !== null && fence.epoch === own.epoch && fence.runId === own.runId;
}

function outcomeOf(result: EffectResult): Omit<StepResult, "index"> {
  return result === null ? { state: "done", code: null, detail: "" } : { state: "failed", ...result };
}

function skipped(index: number, fenced: boolean): StepResult {
  const detail = fenced
    ? "a newer run took the node over"
    : "a step before it failed, of its role or of one that its role requires";
  return { index, state: "skipped", code: null, detail };
}
