import type { Node } from "../desired/desired-state.ts";
import { rolesOf } from "../desired/roles-of.ts";
import { stableJson } from "../kit/stable-json.ts";
import type { Marker } from "../model/marker.ts";
import type { OwnedResource } from "../model/owned-resource.ts";
import type { PlannedItem } from "../model/plan-document.ts";
import { claimsOf } from "../plan/declared-claims.ts";
import type { DriftEntry } from "../plan/drift.ts";
import { imaginedNeeds } from "../plan/imagined-needs.ts";
import { itemFromReport } from "../plan/item-from-report.ts";
import { plannedItem } from "../plan/planned-item.ts";
import { itemKey } from "../plan/recorded-items.ts";
import { releasedItems } from "../plan/released.ts";
import type { ImaginedMachine } from "../ports.ts";
import type { Declared } from "../resources/contract.ts";
import { apply } from "./apply.ts";
import { convergeNode } from "./converge-node.ts";
import { imaginedRun, imaginedWork } from "./imagined-run.ts";
import { type ObservedNode, observeNode } from "./observe-node.ts";
import { contentKey, imaginedContents } from "./planned-contents.ts";
import type { ExpectedVisit, NodePrediction, PredictionInput } from "./prediction.ts";
import { enforced, type RoleGround } from "./role-grounds.ts";
import type { RunContext } from "./run-context.ts";

/** One node, and all that is known of it that bears on what would be done. */
export interface Imagination {
  readonly node: string;
  readonly visits: readonly ExpectedVisit[];
  readonly grounds: readonly RoleGround[];
  /** Proofs of what no source declares: nobody can say any more how the node was made. */
  readonly left: readonly Marker[];
}

interface Known {
  readonly grounds: ReadonlyMap<string, RoleGround>;
  /** Claims of what the node proved at some time. */
  readonly claimed: ReadonlySet<string>;
  /** By {@link itemKey}: what cannot be imagined as the node proved it, and so is no news. */
  readonly beyond: ReadonlyMap<string, DriftEntry>;
}

/** A node made up as it is known. */
interface MadeUp {
  readonly node: Node;
  readonly machine: ImaginedMachine;
  readonly run: RunContext;
  readonly known: Known;
}

/** undefined: the roster has no such node. */
export async function madeUp(
  imagined: Imagination,
  input: Omit<PredictionInput, "record">,
  machineId: string | null,
): Promise<MadeUp | undefined> {
  const node = input.head.nodes.get(imagined.node);
  if (node === undefined) return undefined;
  const before = imagined.grounds.flatMap(({ role, source }) => input.sources[source]?.state.roles.get(role) ?? []);
  const owned = imagined.left.flatMap(leftBehind);
  const gone = releasedItems(owned, []).released.flatMap((entry) => entry.gone ?? []);
  const after = [...rolesOf(node, input.head.state), { resources: gone }];
  const machine = input.simulator.imagine(imaginedNeeds({ name: node.name, machineId }, before, after));
  const run = imaginedRun(input.simulator.transport(new Map([[node.name, machine]]), []), input.now);
  const beyond = await makeAsProved(imagined, input, run);
  machine.owns(owned);
  machine.asObserved(imagined.grounds.flatMap(({ drift }) => drift));
  const proved = [...before.flatMap((role) => role.resources), ...gone];
  const known = {
    grounds: new Map(imagined.grounds.map((ground) => [ground.role, ground])),
    claimed: new Set(proved.flatMap(claimsOf)),
    beyond,
  };
  return { node, machine, run, known };
}

/** Visits it for one unit after the other, as a run would. */
export async function predictNode(imagined: Imagination, input: PredictionInput): Promise<NodePrediction> {
  const prediction = new Map<string, readonly PlannedItem[]>();
  const made = await madeUp(imagined, input, null);
  if (made === undefined) return prediction;
  const { node, run, known } = made;
  for (const { unit } of imagined.visits) {
    const role = unit.slice("role:".length);
    const observation = await observeNode(imaginedWork(input.head.state, node, new Set([role])), run);
    if (observation.kind === "left") continue;
    const contents = await imaginedContents(observation, run);
    prediction.set(unit, itemsOf(observation.observed, role, known, contents));
    await convergeNode(observation.observed, run);
  }
  return prediction;
}

/** The record of a machine that cannot be made up from what it proved. */
function leftBehind({ unit, resources }: Marker): OwnedResource[] {
  const role = unit.slice("role:".length);
  return resources.flatMap(({ type, id, removal, owned }) => (owned ? [{ role, type, id, removal }] : []));
}

/** Runs our own apply for each source; what it cannot do on an imagined machine is returned. */
async function makeAsProved(
  { node, grounds }: Imagination,
  { sources }: Pick<PredictionInput, "sources">,
  run: RunContext,
): Promise<ReadonlyMap<string, DriftEntry>> {
  const beyond = new Map<string, DriftEntry>();
  // Older states first, so that what several of them declare ends as the likeliest has it.
  for (const index of [...sources.keys()].reverse()) {
    const source = sources[index];
    const declared = source?.nodes.get(node);
    const only = new Set(grounds.filter((ground) => ground.source === index).map(({ role }) => role));
    if (source === undefined || declared === undefined || only.size === 0) continue;
    const state = { ...source.state, roles: enforced(source.state.roles) };
    const work = imaginedWork(state, declared, only);
    await apply([work], run, { dryRun: false });
    const observation = await observeNode(work, run);
    if (observation.kind === "left") continue;
    for (const entry of observation.observed.entries) beyond.set(itemKey(entry.item), entry);
  }
  return beyond;
}

function itemsOf(
  { entries, work }: ObservedNode,
  role: string,
  known: Known,
  contents: Awaited<ReturnType<typeof imaginedContents>>,
): readonly PlannedItem[] {
  const ground = known.grounds.get(role);
  const drift = new Map((ground?.drift ?? []).map((item) => [itemKey(item), item]));
  const items = entries
    .filter((entry) => !isNoNews(entry, known.beyond.get(itemKey(entry.item))))
    .map((entry) => {
      const seen = drift.has(itemKey(entry.item));
      const isOther = entry.role.name !== role;
      const basis = seen ? "audit" : ground === undefined && !isOther ? "unknown" : "desired";
      const declaredBefore = claimsOf(entry.resource).some((claim) => known.claimed.has(claim));
      const content = contents.get(contentKey(entry.role.name, entry.resource.record.id)) ?? null;
      return plannedItem(entry, { basis, declaredBefore }, content);
    });
  const shown = new Set(entries.map(({ item }) => itemKey(item)));
  const declared = new Set(
    work.roles.flatMap((own) => own.resources.map((resource) => declaredKey(own.name, resource))),
  );
  const unseen = [...drift].filter(([key]) => !shown.has(key) && declared.has(key));
  return [...items, ...unseen.map(([, item]) => itemFromReport(item))];
}

function declaredKey(role: string, { record }: Declared): string {
  return itemKey({ role, resource: { type: record.type, id: record.id } });
}

/** It differs on the imagined machine just as it did when that was as proved: the machine is to blame, and not the change. */
function isNoNews(entry: DriftEntry, before: DriftEntry | undefined): boolean {
  if (before === undefined || entry.finding.severity === "warn") return false;
  const told = ({ finding, resource }: DriftEntry): string =>
    stableJson([finding.verb, finding.reasons, resource.record, resource.content?.sha256 ?? null]);
  return told(entry) === told(before);
}
