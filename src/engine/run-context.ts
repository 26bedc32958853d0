import type { Clock, Progress, Secrets, Transport } from "../ports.ts";

/** What every part of one run shares. */
export interface RunContext {
  readonly runId: string;
  readonly transport: Transport;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Nodes at work at one time. */
  readonly parallel: number;
}
