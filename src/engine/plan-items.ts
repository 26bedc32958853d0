import type { PlannedItem } from "../model/plan-document.ts";
import { attemptsOf } from "../plan/attempts.ts";
import type { DriftEntry } from "../plan/drift.ts";
import type { FleetPlan } from "../plan/fleet-plan.ts";
import { plannedItem } from "../plan/planned-item.ts";
import type { SecretValues } from "../resources/contract.ts";
import { inParallel } from "./in-parallel.ts";
import { nodeWork } from "./node-work.ts";
import { type ObservedNode, observedNode, observeNode } from "./observe-node.ts";
import { contentKey, readContents } from "./planned-contents.ts";
import { predict } from "./predict.ts";
import type { ExpectedVisit, NodePrediction, PredictionInput } from "./prediction.ts";
import { roleGrounds, type Source } from "./role-grounds.ts";
import type { RunContext } from "./run-context.ts";

/** By unit, then by node. */
export type PlanItems = ReadonlyMap<string, ReadonlyMap<string, readonly PlannedItem[]>>;

/** A run that may ask nodes, for `plan --live`; what does not answer is predicted. */
export interface LiveReading {
  readonly run: RunContext;
  readonly secrets: SecretValues;
}

/** Which units the next run visits each node for, in its order. */
export function visitsOf(plan: FleetPlan): ReadonlyMap<string, readonly ExpectedVisit[]> {
  const visits = new Map<string, ExpectedVisit[]>();
  for (const unitPlan of plan.units) {
    const { unit } = unitPlan;
    const actions = new Map(unit.targets.map(({ node, action }) => [node, action]));
    for (const node of attemptsOf(unitPlan).flat()) {
      const list = visits.get(node) ?? [];
      visits.set(node, list);
      list.push({ unit: unit.id, action: actions.get(node) ?? "converge" });
    }
  }
  return visits;
}

/**
 * Commits that nodes were made as and that no source declares, the most frequent first: read too, so that a node that is behind
 * is not taken for one that nobody knows.
 */
export function olderCommits(
  visits: ReadonlyMap<string, readonly ExpectedVisit[]>,
  sources: readonly Source[],
  record: PredictionInput["record"],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const [node, expected] of visits) {
    const known = new Set(roleGrounds(node, sources, record).map(({ role }) => `role:${role}`));
    const wanted = new Set(expected.map(({ unit }) => unit));
    for (const { unit, commit } of record.states.get(node)?.markers ?? []) {
      if (commit !== null && wanted.has(unit) && !known.has(unit)) counts.set(commit, (counts.get(commit) ?? 0) + 1);
    }
  }
  return [...counts].sort(([a, few], [b, many]) => many - few || (a < b ? -1 : 1)).map(([commit]) => commit);
}

/** What the next run is to find: predicted, and where nodes may be asked, read. `asked`: when nodes answered (RFC 3339). */
export async function planItems(
  visits: ReadonlyMap<string, readonly ExpectedVisit[]>,
  input: PredictionInput,
  live: LiveReading | null,
): Promise<{ readonly items: PlanItems; readonly asked: ReadonlyMap<string, string> }> {
  const read = live === null ? new Map<string, Reading>() : await readAll(visits, input, live);
  const unread = new Map([...visits].filter(([node]) => !read.has(node)));
  const found = [...read].map(([node, { prediction }]) => [node, prediction] as const);
  const predictions = new Map([...(await predict(unread, input)), ...found]);
  const items = new Map<string, Map<string, readonly PlannedItem[]>>();
  for (const [node, prediction] of predictions) {
    for (const [unit, list] of prediction) {
      const ofUnit = items.get(unit) ?? new Map<string, readonly PlannedItem[]>();
      items.set(unit, ofUnit.set(node, list));
    }
  }
  return { items, asked: new Map([...read].map(([node, { at }]) => [node, at])) };
}

interface Reading {
  readonly at: string;
  readonly prediction: NodePrediction;
}

async function readAll(
  visits: ReadonlyMap<string, readonly ExpectedVisit[]>,
  { head }: PredictionInput,
  { run, secrets }: LiveReading,
): Promise<Map<string, Reading>> {
  run.progress.event({ kind: "begin", task: "check", nodes: [...visits.keys()] });
  const read = await inParallel([...visits], run.parallel, async ([name, expected]) => {
    const node = head.nodes.get(name);
    if (node === undefined) return [];
    const workFor = (only: ReadonlySet<string> | null) => ({
      ...nodeWork(head.state, node, only, secrets),
      letsGo: true,
    });
    const observation = await observeNode(workFor(null), run);
    if (observation.kind === "left") return [];
    const { observed } = observation;
    const { facts, startedAt, finishedAt } = observed;
    const alone = (role: string) => observedNode(workFor(new Set([role])), facts, startedAt, finishedAt).entries;
    const prediction = byUnit(observed, alone, expected, await readContents(observation, run));
    run.progress.event({ kind: "finished", node: name, outcome: "drift" });
    return [[name, { at: finishedAt.toISOString(), prediction }] as const];
  });
  return new Map(read.flat());
}

/**
 * All roles were compared at once, so that what one brings for the next is known. But a run visits unit after unit: a service of
 * another role is restarted with whoever makes it due, and is due again only for what its own unit changes. `alone`: what the
 * visit for that role would find, were it the only one.
 */
function byUnit(
  { entries }: ObservedNode,
  alone: (role: string) => readonly DriftEntry[],
  expected: readonly ExpectedVisit[],
  contents: Awaited<ReturnType<typeof readContents>>,
): NodePrediction {
  const found = new Map<string, readonly PlannedItem[]>();
  const restarted = new Set<string>();
  for (const { unit } of expected) {
    const role = unit.slice("role:".length);
    const visit = alone(role);
    const beside = visit.filter((entry) => entry.role.name !== role);
    const own = entries.filter((entry) => entry.role.name === role && !restarted.has(keyOf(entry)));
    const again = visit.filter((entry) => entry.role.name === role && restarted.has(keyOf(entry))).flatMap(onceMore);
    for (const entry of beside) restarted.add(keyOf(entry));
    const items = [...own, ...again, ...beside].map((entry) =>
      plannedItem(entry, { basis: "live", declaredBefore: true }, contents.get(keyOf(entry)) ?? null),
    );
    found.set(unit, items);
  }
  return found;
}

/** What else there was to do about the service is done by then. */
function onceMore(entry: DriftEntry): DriftEntry[] {
  const { because, enable: _done, ...params } = entry.finding.params;
  if (!Array.isArray(because)) return [];
  const reasons = entry.finding.reasons.filter((reason) => reason === "restart-due" || reason === "reload-due");
  return [{ ...entry, finding: { ...entry.finding, reasons, params: { ...params, because } } }];
}

function keyOf({ role, resource }: DriftEntry): string {
  return contentKey(role.name, resource.record.id);
}
