import { rolesOf } from "../desired/roles-of.ts";
import { groupBy } from "../kit/group-by.ts";
import { roleNodeDigest } from "../plan/node-digest.ts";
import { type Imagination, predictNode } from "./predict-node.ts";
import type { ExpectedVisit, NodePrediction, PredictionInput } from "./prediction.ts";
import { type RoleGround, roleGrounds, validMarkers } from "./role-grounds.ts";

/**
 * What would be done to nodes, without contacting any (DESIGN §1, §6). Each is imagined as it is known to be, and then the
 * same loop runs over it that a run would. Nodes about which the same is known share one imagination, and its answer.
 */
export async function predict(
  visits: ReadonlyMap<string, readonly ExpectedVisit[]>,
  input: PredictionInput,
): Promise<ReadonlyMap<string, NodePrediction>> {
  const imaginations = [...visits].map(([node, expected]) => imagination(node, expected, input));
  const predictions = new Map<string, NodePrediction>();
  for (const alike of groupBy(imaginations, ({ key }) => key).values()) {
    const [first] = alike;
    if (first === undefined) continue;
    const prediction = await predictNode(first.imagination, input);
    for (const { imagination: one } of alike) predictions.set(one.node, prediction);
  }
  return predictions;
}

export function imagination(
  node: string,
  visits: readonly ExpectedVisit[],
  { head, sources, record }: PredictionInput,
): { readonly key: string; readonly imagination: Imagination } {
  const grounds = roleGrounds(node, sources, record);
  const known = new Set(grounds.map(({ role }) => role));
  const left = [...validMarkers(node, record).values()].filter(({ unit }) => !known.has(unit.slice("role:".length)));
  const declared = head.nodes.get(node);
  const wanted =
    declared === undefined
      ? []
      : rolesOf(declared, head.state).map((role) => [role.digest, roleNodeDigest(role, declared)]);
  const resources = left.map(({ unit, resources: own }) => [unit, own]);
  // Keys of these stand in one order, since each is made in one place: sorting them for 10,000 nodes would cost more than the plan.
  const key = JSON.stringify([visits, wanted, grounds.map(groundKey), resources]);
  return { key, imagination: { node, visits, grounds, left } };
}

/** Names of nodes and times differ between nodes that are alike. */
function groundKey({ drift, ...ground }: RoleGround): unknown {
  return { ...ground, drift: drift.map(({ host: _host, discovered_at: _at, ...item }) => item) };
}
