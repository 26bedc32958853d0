import type { PlannedGroup, PlannedItem, PlannedUnit } from "../model/plan-document.ts";

type Wave = PlannedUnit["waves"][number];

/** Healthy nodes of a class, by name: up, read not long ago, and not known to be down. */
export type HealthyByClass = ReadonlyMap<string, ReadonlySet<string>>;

/** Waves with what restarts in each of them (DESIGN §6). */
export function wavesWithRestarts(waves: readonly (readonly string[])[], groups: readonly PlannedGroup[]): Wave[] {
  return waves.map((nodes) => ({ nodes: [...nodes], restarts: restartsIn(new Set(nodes), groups) }));
}

/** What can go wrong before anybody has seen a result: the nodes of the first wave, and what a whole class stands on. */
export function blastRadius(
  waves: readonly Wave[],
  groups: readonly PlannedGroup[],
  healthy: HealthyByClass,
): PlannedUnit["blast_radius"] {
  const [first] = waves;
  return {
    nodes: [...(first?.nodes ?? [])].sort(),
    restarts: (first?.restarts ?? []).map(({ unit }) => unit),
    last_healthy: waves.flatMap((wave, index) => lastHealthy(wave, index, groups, healthy)),
  };
}

function restartsIn(nodes: ReadonlySet<string>, groups: readonly PlannedGroup[]): Wave["restarts"] {
  const found = new Map<string, Wave["restarts"][number]>();
  for (const group of groups) {
    const here = group.nodes.filter((node) => nodes.has(node));
    if (here.length === 0) continue;
    for (const item of group.items) {
      const how = restartOf(item);
      if (how === null) continue;
      const unit = serviceOf(item);
      const key = `${how} ${unit}`;
      const known = found.get(key)?.nodes ?? [];
      found.set(key, { unit, how, nodes: [...new Set([...known, ...here])].sort() });
    }
  }
  return [...found.values()].sort((a, b) => (`${a.unit} ${a.how}` < `${b.unit} ${b.how}` ? -1 : 1));
}

/** A class whose healthy nodes all stand in one wave, while something is interrupted there. */
function lastHealthy(
  wave: Wave,
  index: number,
  groups: readonly PlannedGroup[],
  healthy: HealthyByClass,
): PlannedUnit["blast_radius"]["last_healthy"] {
  const interrupted = new Map<string, string[]>();
  const own = new Set(wave.nodes);
  for (const group of groups.filter(({ items }) => items.some(isInterrupting))) {
    const here = group.nodes.filter((node) => own.has(node));
    if (here.length > 0) interrupted.set(group.class, [...(interrupted.get(group.class) ?? []), ...here]);
  }
  return [...interrupted].flatMap(([name, nodes]) => {
    const all = healthy.get(name) ?? new Set<string>();
    const left = [...all].filter((node) => !nodes.includes(node));
    return all.size > 0 && left.length === 0 ? [{ class: name, wave: index, nodes: [...new Set(nodes)].sort() }] : [];
  });
}

/** Something that serves may be away meanwhile. */
function isInterrupting(item: PlannedItem): boolean {
  if (restartOf(item) !== null) return true;
  if (item.basis === "unknown") return false;
  if (item.type === "package") return item.verb === "upgrade" || item.verb === "remove";
  return item.type === "systemd_unit" && item.verb === "stop";
}

/** Only what runs can be away for a while. */
export function restartOf({ verb, params, reasons }: PlannedItem): "restart" | "reload" | null {
  if (verb !== "start" || reasons.some((reason) => DOWN.has(reason))) return null;
  if (params.restart === true) return "restart";
  return params.reload === true ? "reload" : null;
}

const DOWN: ReadonlySet<string> = new Set(["not-found", "inactive", "failed", "condition-not-met"]);

function serviceOf({ resource }: PlannedItem): string {
  return resource.replace(/^systemd_unit:/, "");
}
