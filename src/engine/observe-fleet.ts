import type { NodeOutcome } from "../model/node-outcome.ts";
import { inParallel } from "./in-parallel.ts";
import type { NodeWork } from "./node-work.ts";
import { type NodeObservation, observeNode } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

/**
 * Reads all nodes, in the order given. Two names that turn out to be one machine are both refused, before anything is
 * done to either (DESIGN §3, cases.md 92).
 */
export async function observeFleet(works: readonly NodeWork[], run: RunContext): Promise<NodeObservation[]> {
  const observations = await inParallel(works, run.parallel, (work) => observeNode(work, run));
  const names = namesByMachine(observations);
  return observations.map((observation): NodeObservation => {
    if (observation.kind === "left") return observation;
    const { machineId } = observation.observed.facts.identity;
    const shared = machineId === null ? [] : (names.get(machineId) ?? []);
    if (shared.length < 2) return observation;
    const outcome = duplicateMachine(observation.observed.work.node.name, shared);
    run.progress.event({ kind: "finished", node: outcome.node, outcome: outcome.outcome });
    return { kind: "left", outcome };
  });
}

function namesByMachine(observations: readonly NodeObservation[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const observation of observations) {
    if (observation.kind === "left") continue;
    const { facts, work } = observation.observed;
    if (facts.identity.machineId === null) continue;
    names.set(facts.identity.machineId, [...(names.get(facts.identity.machineId) ?? []), work.node.name]);
  }
  return names;
}

/** `shared`: names that the machine goes by, its own may be among them. */
export function duplicateMachine(name: string, shared: readonly string[]): NodeOutcome {
  const others = shared.filter((other) => other !== name).join(", ");
  const message = `answers with the same machine id as ${others}: one machine under two names, or a cloned disk; give each its own /etc/machine-id or remove one node`;
  return { node: name, outcome: "duplicate-machine", message };
}
