import type { Clock, HeldLock, Progress, Secrets, Transport } from "../ports.ts";

/** What every part of one run shares. */
export interface RunContext {
  readonly runId: string;
  readonly transport: Transport;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Nodes at work at one time. */
  readonly parallel: number;
  /** The fleet's lock, whose epoch fences the nodes (DESIGN §4); left out: each node's own count goes on. */
  readonly lock?: HeldLock;
}
