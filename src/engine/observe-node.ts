import { type DriftReport, driftStats } from "../model/drift-report.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { NodeOutcome, OutcomeCode } from "../model/node-outcome.ts";
import { mergeQuestions, type NodeQuestions } from "../model/node-question.ts";
import { compareNode, type DriftEntry } from "../plan/drift.ts";
import { type ReleaseDrift, releaseDrift } from "../plan/release-drift.ts";
import { type OwnedReading, releasedItems, releaseQuestions } from "../plan/released.ts";
import type { Observation } from "../ports.ts";
import type { NodeWork } from "./node-work.ts";
import { restartsBeside } from "./restarts-beside.ts";
import type { RunContext } from "./run-context.ts";

/** A node that answered: its facts, and how it differs from what is declared. */
export interface ObservedNode {
  readonly work: NodeWork;
  readonly facts: NodeFacts;
  /** The node's record of what is rollcall's, and what has left desired state of it. */
  readonly reading: OwnedReading;
  readonly release: ReleaseDrift;
  /** What is released and there comes first. */
  readonly entries: readonly DriftEntry[];
  readonly startedAt: Date;
  readonly finishedAt: Date;
}

export type NodeObservation =
  | { readonly kind: "observed"; readonly observed: ObservedNode }
  | { readonly kind: "left"; readonly outcome: NodeOutcome };

/**
 * Reads one node in one round trip (DESIGN §3.2), and in a second one where something left desired state: only the node's
 * record tells what else to ask. A node that nothing is to be done to is not contacted.
 */
export async function observeNode(work: NodeWork, run: RunContext): Promise<NodeObservation> {
  const left = (outcome: OutcomeCode, message: string): NodeObservation => {
    run.progress.event({ kind: "finished", node: work.node.name, outcome });
    return { kind: "left", outcome: { node: work.node.name, outcome, message } };
  };
  const reason = reasonToLeave(work);
  if (reason !== null) return left(reason.outcome, reason.message);
  run.progress.event({ kind: "observing", node: work.node.name });
  const startedAt = run.clock.now();
  const observation = await observeAll(work, run);
  if (observation.kind === "failure") return left(observation.outcome, observation.message);
  const { facts } = observation;
  const pinned = work.node.machineId;
  if (pinned !== null && pinned !== facts.identity.machineId) {
    return left(
      "identity-mismatch",
      `the roster pins machine_id ${pinned.slice(0, 12)}…, the node's is ${facts.identity.machineId?.slice(0, 12) ?? "missing"}…: another machine answers at this address, or the node was reinstalled; if so, set machine_id anew`,
    );
  }
  const observed = observedNode(work, facts, startedAt, run.clock.now());
  run.progress.event({ kind: "observed", node: work.node.name, items: observed.entries.length });
  return { kind: "observed", observed };
}

async function observeAll(work: NodeWork, run: RunContext): Promise<Observation> {
  const first = await run.transport.observe(work.target, work.questions);
  if (first.kind === "failure" || releasedOn(work, first.facts).length === 0) return first;
  return run.transport.observe(work.target, questionsOf(work, first.facts));
}

/** What the roles ask, and what is to be known of released resources. */
export function questionsOf(work: NodeWork, facts: NodeFacts): NodeQuestions {
  return mergeQuestions([work.questions, releaseQuestions(releasedOn(work, facts))]);
}

function releasedOn(work: NodeWork, facts: NodeFacts): OwnedReading["released"] {
  const { released } = releasedItems(facts.owned.resources, work.everyRole);
  return released.filter(({ owned }) => work.only === null || work.only.has(owned.role));
}

/** `watched`: see {@link restartsBeside}. */
export function observedNode(
  work: NodeWork,
  facts: NodeFacts,
  startedAt: Date,
  finishedAt: Date,
  watched: ReadonlySet<string> = new Set(),
): ObservedNode {
  const { node, everyRole, manifests, only } = work;
  const reading = releasedItems(facts.owned.resources, everyRole);
  const scope = { host: node.name, roles: everyRole, manifests, only };
  const release = releaseDrift(reading.released, scope, facts, finishedAt);
  const own = compareNode(node.name, work.roles, facts, finishedAt, release.entries);
  const beside = restartsBeside(work, facts, finishedAt, release.entries, watched);
  return { work, facts, reading, release, entries: [...release.entries, ...own, ...beside], startedAt, finishedAt };
}

/** The envelope of host-state §4. */
export function driftReport(
  observed: ObservedNode,
  runId: string,
  options: { readonly dryRun: boolean; readonly stage?: "before" | "after" },
): DriftReport {
  const host = observed.work.node.name;
  const items = observed.entries.map((entry) => entry.item);
  return {
    drift_report_id: `${runId}/${host}`,
    run_id: runId,
    host,
    started_at: observed.startedAt.toISOString(),
    finished_at: observed.finishedAt.toISOString(),
    dry_run: options.dryRun,
    ...(options.stage === undefined ? {} : { stage: options.stage }),
    items,
    stats: driftStats(items),
  };
}

function reasonToLeave(work: NodeWork): { outcome: OutcomeCode; message: string } | null {
  const { node } = work;
  if (node.state === "retired") return { outcome: "skipped", message: "retired: nothing is done any more" };
  if (!node.enabled) return { outcome: "skipped", message: "enabled: false in its node file" };
  if (node.os !== "linux") {
    return { outcome: "unsupported-os", message: `${node.os} nodes can be registered, but not observed or changed` };
  }
  // A node without any role may still have what its last one left there.
  if (work.roles.length === 0 && work.only !== null && work.letsGo !== true)
    return { outcome: "skipped", message: "none of the roles asked for are declared on it" };
  return null;
}
