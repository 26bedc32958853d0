import type { NodeFence } from "../model/node-facts.ts";
import type { RunContext } from "./run-context.ts";

/**
 * The epoch with which a run claims one node (DESIGN §4, §7). Under the fleet's lock it is the lock's; a node that has seen a
 * higher one, from a run before the lock's record was lost or from one without a lock, raises it once, which only who still
 * holds the lock can do. Without a lock each node's own count goes on.
 */
export class FencingToken {
  readonly #run: RunContext;
  #raised = false;

  constructor(run: RunContext) {
    this.#run = run;
  }

  /** null: a newer run has the node. */
  async above(seen: NodeFence | null): Promise<number | null> {
    const { lock, runId } = this.#run;
    const epoch = seen?.epoch ?? 0;
    if (lock === undefined) return epoch + 1;
    if (seen === null || seen.runId === runId || epoch < lock.epoch) return lock.epoch;
    if (this.#raised) return null;
    this.#raised = true;
    return (await lock.raise(epoch)) ? lock.epoch : null;
  }
}
