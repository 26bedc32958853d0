import { rolesOf } from "../desired/roles-of.ts";
import type { PlannedItem } from "../model/plan-document.ts";
import { attemptsOf } from "../plan/attempts.ts";
import type { FleetPlan } from "../plan/fleet-plan.ts";
import { plannedItem } from "../plan/planned-item.ts";
import type { SecretValues } from "../resources/contract.ts";
import { inParallel } from "./in-parallel.ts";
import { nodeWork } from "./node-work.ts";
import { type ObservedNode, observeNode } from "./observe-node.ts";
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
    const observation = await observeNode({ ...nodeWork(head.state, node, null, secrets), letsGo: true }, run);
    if (observation.kind === "left") return [];
    const contents = await readContents(observation, run);
    run.progress.event({ kind: "finished", node: name, outcome: "drift" });
    const at = observation.observed.finishedAt.toISOString();
    return [[name, { at, prediction: byUnit(observation.observed, expected, contents) }] as const];
  });
  return new Map(read.flat());
}

/** All roles were compared at once: what another role's service is restarted for belongs to who makes it due. */
function byUnit(
  { entries, work }: ObservedNode,
  expected: readonly ExpectedVisit[],
  contents: Awaited<ReturnType<typeof readContents>>,
): NodePrediction {
  const found = new Map<string, PlannedItem[]>(expected.map(({ unit }) => [unit, []]));
  const order = rolesOf(work.node, { roles: work.manifests }).map(({ name }) => `role:${name}`);
  for (const entry of entries) {
    const content = contents.get(contentKey(entry.role.name, entry.resource.record.id)) ?? null;
    const item = plannedItem(entry, { basis: "live", declaredBefore: true }, content);
    const own = found.get(`role:${entry.role.name}`);
    if (own !== undefined) own.push(item);
    else if (item.kind === "restart") found.get(lastBefore(order, `role:${entry.role.name}`, found))?.push(item);
  }
  return found;
}

function lastBefore(order: readonly string[], unit: string, visited: ReadonlyMap<string, unknown>): string {
  const earlier = order.slice(0, order.indexOf(unit)).filter((one) => visited.has(one));
  return earlier.at(-1) ?? [...visited.keys()][0] ?? unit;
}
