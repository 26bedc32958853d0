import type { Fault } from "../../src/adapters/memory/faults.ts";
import { type MemoryFleet, MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { apply } from "../../src/engine/apply.ts";
import { type CheckResult, check } from "../../src/engine/check.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import type { Transport } from "../../src/ports.ts";
import { givenSecrets } from "./given-secrets.ts";

export interface Ran {
  readonly result: CheckResult;
  readonly outcomes: readonly string[];
  readonly calls: (node: string) => { readonly observe: number; readonly change: number };
}

let runs = 0;

/** How often a property is tried; more for a night. */
export const PROPERTY_RUNS = { numRuns: Number(process.env.ROLLCALL_PROPERTY_RUNS ?? 15) };

/** One run of the engine over nodes in memory, as `commands/` would start it. */
export async function run(
  verb: "check" | "apply",
  state: DesiredState,
  fleet: MemoryFleet,
  faults: readonly Fault[] = [],
): Promise<Ran> {
  const transport = new MemoryTransport(fleet, faults);
  const result = await runOver(verb, state, transport);
  return { result, outcomes: result.outcomes.map(({ outcome }) => outcome), calls: (node) => transport.calls(node) };
}

export function runOver(verb: "check" | "apply", state: DesiredState, transport: Transport): Promise<CheckResult> {
  const works = state.nodes.map((node) => nodeWork(state, node, null, givenSecrets()));
  const context = runContext(transport);
  return verb === "check" ? check(works, context) : apply(works, context, { dryRun: false });
}

export function runContext(transport: Transport): RunContext {
  return {
    runId: `run-${++runs}`,
    transport,
    secrets: givenSecrets(),
    clock: { now: () => new Date(0) },
    progress: { event: () => {}, end: () => {} },
    parallel: 2,
  };
}
