import { DECISION_CODES, type PlanDecision, type PlannedItem, type PlannedUnit } from "../model/plan-document.ts";

/** What a reader has to decide, the gravest first; of one kind in the order of the run (DESIGN §6). */
export function planDecisions(units: readonly PlannedUnit[]): PlanDecision[] {
  const all = units.flatMap((unit) => [
    ...items(unit, "removes", ({ kind }) => kind === "remove", "is taken away"),
    ...items(unit, "overwrites", isOverwriting, "differs on the node and is written over"),
    ...lastHealthy(unit),
    ...secondLook(unit),
    ...canary(unit),
    ...escapes(unit),
    ...unprovable(unit),
    ...unproved(unit),
    ...items(
      unit,
      "obstacle",
      ({ kind, severity }) => kind === "obstacle" && severity === "error",
      "cannot be made so",
    ),
    ...standing(unit),
  ]);
  return all
    .map((decision, place) => ({ decision, place }))
    .sort(byWeight)
    .map(({ decision }) => decision);
}

interface Placed {
  readonly decision: PlanDecision;
  readonly place: number;
}

function byWeight(a: Placed, b: Placed): number {
  return DECISION_CODES.indexOf(a.decision.code) - DECISION_CODES.indexOf(b.decision.code) || a.place - b.place;
}

function isOverwriting({ basis, kind }: PlannedItem): boolean {
  return basis === "audit" && (kind === "change" || kind === "create");
}

/** One for each resource, with all nodes on which it is so. */
function items(
  { unit, groups }: PlannedUnit,
  code: PlanDecision["code"],
  isSo: (item: PlannedItem) => boolean,
  what: string,
): PlanDecision[] {
  const found = new Map<string, { nodes: string[]; item: PlannedItem }>();
  for (const group of groups) {
    for (const item of group.items.filter(isSo)) {
      const key = `${item.role} ${item.resource}`;
      const nodes = [...(found.get(key)?.nodes ?? []), ...group.nodes];
      found.set(key, { nodes, item });
    }
  }
  return [...found.values()].map(({ nodes, item }) => ({
    code,
    unit,
    subject: item.resource,
    nodes: nodes.sort(),
    text: `${item.resource} ${what}: ${item.basis === "unknown" ? item.why : item.reasons.join(", ")}`,
  }));
}

function lastHealthy({ unit, blast_radius }: PlannedUnit): PlanDecision[] {
  return blast_radius.last_healthy.map(({ class: ofClass, wave, nodes }) => ({
    code: "last-healthy",
    unit,
    subject: ofClass,
    nodes,
    text: `no other healthy node of class ${ofClass} is left while wave ${wave + 1} is at work`,
  }));
}

function secondLook({ unit, waves, reasons }: PlannedUnit): PlanDecision[] {
  if (waves.length === 0 || reasons?.second_look.missing !== true) return [];
  return [{ code: "second-look-missing", unit, subject: unit, nodes: [], text: reasons.second_look.why }];
}

function canary({ unit, waves, reasons }: PlannedUnit): PlanDecision[] {
  const [first] = waves;
  if (first === undefined) return [];
  return (reasons?.warnings ?? []).map((text) => ({ code: "canary", unit, subject: unit, nodes: first.nodes, text }));
}

function escapes({ unit, escapes: all }: PlannedUnit): PlanDecision[] {
  return all.map(({ gate, reason, by }) => ({
    code: "escape",
    unit,
    subject: gate,
    nodes: [],
    text: `"${reason}" (${by})`,
  }));
}

function unprovable({ unit, provable }: PlannedUnit): PlanDecision[] {
  if (provable) return [];
  return [
    { code: "unprovable", unit, subject: unit, nodes: [], text: "only a person's word will say that it is in place" },
  ];
}

function unproved({ unit, groups }: PlannedUnit): PlanDecision[] {
  const blind = groups.filter(
    ({ items: own }) => own.every(({ basis }) => basis === "unknown") && !own.every(({ kind }) => kind === "remove"),
  );
  if (blind.length === 0) return [];
  const nodes = blind.flatMap((group) => group.nodes).sort();
  const text = "what these nodes have now is not known; whatever it is, it is made as declared";
  return [{ code: "unproved", unit, subject: unit, nodes, text }];
}

function standing({ unit, next, pending }: PlannedUnit): PlanDecision[] {
  if (next.kind !== "stopped" && next.kind !== "nobody") return [];
  const nodes = pending.map(({ node }) => node);
  const state = next.kind === "stopped" ? `${next.state ?? "stopped"}: ${next.detail}` : next.detail;
  const text = next.hint === "" ? state : `${state}; ${next.hint}`;
  return [{ code: next.kind, unit, subject: unit, nodes, text }];
}
