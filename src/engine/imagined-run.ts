import type { DesiredState, Node } from "../desired/desired-state.ts";
import type { Secrets } from "../ports.ts";
import type { SecretValues } from "../resources/contract.ts";
import { type NodeWork, nodeWork } from "./node-work.ts";
import type { RunContext } from "./run-context.ts";

/** Stands for every secret: a plan needs none, and gets none (DESIGN §6). The same reference has the same value. */
export const IMAGINED_SECRETS: SecretValues & Secrets = {
  valueOf: (reference) => `value of ${reference}`,
  hash: () => "hidden",
  resolve: async (reference) => ({ kind: "value", value: `value of ${reference}` }),
  redact: (text) => text,
};

/** What a run over imagined machines has; its time stands still. */
export function imaginedRun(transport: RunContext["transport"], now: Date): RunContext {
  return {
    runId: "imagined",
    transport,
    secrets: IMAGINED_SECRETS,
    clock: { now: () => now },
    progress: { event: () => {}, end: () => {} },
    parallel: 1,
  };
}

/** Work on a node that is up and is the machine it should be: whether it is, is no matter of what would be done to it. */
export function imaginedWork(state: DesiredState, node: Node, only: ReadonlySet<string>): NodeWork {
  const ready: Node = { ...node, enabled: true, state: "active", os: "linux", machineId: null };
  return { ...nodeWork(state, ready, only, IMAGINED_SECRETS), letsGo: true };
}
