import type { PlanDocument } from "../model/plan-document.ts";
import { restartOf } from "./blast-radius.ts";
import { type PlannedVisit, plannedVisits } from "./planned-visits.ts";

export const ESCALATION_CODES = ["unit", "node", "destructive", "restart", "risk"] as const;
export type EscalationCode = (typeof ESCALATION_CODES)[number];

export interface Escalation {
  readonly code: EscalationCode;
  readonly unit: string;
  /** Names, sorted; empty: it is about the unit. */
  readonly nodes: readonly string[];
  /** A resource's id; empty: it is about the unit or its nodes. */
  readonly subject: string;
  /** One line. */
  readonly text: string;
}

/**
 * What a fresh plan would do that nobody has reviewed (DESIGN §6): another unit, another node, something taken away, something
 * restarted. Whatever else moved is no reason to stop. A node that was reviewed for a unit may be attempted for it later too:
 * that it stays pending was said of the day of the review.
 */
export function escalations(reviewed: PlanDocument, fresh: PlanDocument): readonly Escalation[] {
  const known = new Map(reviewed.units.map((unit) => [unit.unit, unit]));
  const found: Escalation[] = [];
  for (const { unit, waves, targets, risk } of fresh.units) {
    if (waves.length === 0) continue;
    const before = known.get(unit);
    const nodes = waves.flatMap((wave) => wave.nodes).sort();
    if (before === undefined) {
      found.push({ code: "unit", unit, nodes, subject: "", text: `${unit} was not in the reviewed plan` });
      continue;
    }
    const action = (of: typeof targets, node: string) => of.find((target) => target.node === node)?.action;
    const added = nodes.filter((node) => action(before.targets, node) !== action(targets, node));
    if (added.length > 0) {
      found.push({
        code: "node",
        unit,
        nodes: added,
        subject: "",
        text: `${unit} would reach other nodes than reviewed`,
      });
    }
    if (risk === "risky" && before.risk === "safe") {
      found.push({ code: "risk", unit, nodes: [], subject: "", text: `${unit} was reviewed as safe` });
    }
  }
  return [...found, ...itemEscalations(reviewed, fresh)];
}

function itemEscalations(reviewed: PlanDocument, fresh: PlanDocument): Escalation[] {
  const units = new Set(reviewed.units.map(({ unit }) => unit));
  const seen = new Set([...plannedVisits(reviewed)].flatMap(grave).map(({ key }) => key));
  const found = new Map<string, { readonly escalation: Escalation; readonly nodes: Set<string> }>();
  for (const one of [...plannedVisits(fresh)].filter(({ unit }) => units.has(unit)).flatMap(grave)) {
    if (seen.has(one.key)) continue;
    const { unit, subject, code, node } = one;
    const place = `${code} ${unit} ${subject}`;
    const nodes = (found.get(place)?.nodes ?? new Set<string>()).add(node);
    const what = code === "destructive" ? "would be taken away" : "would be restarted";
    found.set(place, {
      nodes,
      escalation: { code, unit, subject, nodes: [], text: `${subject} ${what}, which was not reviewed` },
    });
  }
  return [...found.values()].map(({ escalation, nodes }) => ({ ...escalation, nodes: [...nodes].sort() }));
}

interface Grave {
  readonly code: "destructive" | "restart";
  readonly unit: string;
  readonly node: string;
  readonly subject: string;
  readonly key: string;
}

/** What an item takes away or interrupts; one item may be both. */
function grave({ unit, node, item }: PlannedVisit): Grave[] {
  const { resource: subject, kind, verb, params } = item;
  const away = kind === "remove" || verb === "stop" || (verb === "upgrade" && params.downgrade === true);
  const restarts = restartOf(item) === "restart";
  const one = (code: Grave["code"]): Grave => ({
    code,
    unit,
    node,
    subject,
    key: `${code} ${unit} ${node} ${subject}`,
  });
  return [...(away ? [one("destructive")] : []), ...(restarts ? [one("restart")] : [])];
}
