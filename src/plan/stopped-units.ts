import type { UnitPlan } from "./fleet-plan.ts";

/**
 * What stands still keeps back what comes later on the nodes that both have (DESIGN §3.4), and what waits keeps back what
 * requires it. `nobody` keeps nothing back: a node that is down or declines is no failure.
 */
export class StoppedUnits {
  readonly #onNode = new Map<string, string[]>();
  readonly #waiting = new Map<string, ReadonlySet<string>>();

  /** To be called of all units in the order of the run, with what each would do if it were alone. */
  inOrder(plan: UnitPlan): UnitPlan {
    const { unit, next } = plan;
    if (next.kind === "stopped") {
      for (const { node } of unit.targets) this.#onNode.set(node, [...(this.#onNode.get(node) ?? []), unit.id]);
      return plan;
    }
    if (next.kind !== "start" && next.kind !== "continue") return plan;
    const on = new Set<string>();
    const nodes = unit.targets.map(({ node }) => node).filter((node) => this.#collect(node, unit.requires, on));
    if (on.size === 0) return plan;
    this.#waiting.set(unit.id, new Set(unit.targets.map(({ node }) => node)));
    const asked = plan.asked === null ? null : { ...plan.asked, attempt: [] };
    return { ...plan, next: { kind: "waiting", on: [...on].sort(), nodes }, asked };
  }

  #collect(node: string, requires: readonly string[], on: Set<string>): boolean {
    const waited = requires.filter((unit) => this.#waiting.get(unit)?.has(node));
    const before = [...(this.#onNode.get(node) ?? []), ...waited];
    for (const unit of before) on.add(unit);
    return before.length > 0;
  }
}
