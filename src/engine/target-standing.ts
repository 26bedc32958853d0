import type { DesiredState } from "../desired/desired-state.ts";
import type { Grade } from "../model/marker.ts";
import type { RolloutTarget, SkipReason } from "../model/rollout-event.ts";
import { skipReasonOf } from "../plan/cell.ts";
import { downStanding } from "../plan/down-verdict.ts";
import { leftOut } from "../plan/due-targets.ts";
import type { UnitPlan } from "../plan/fleet-plan.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";

/** Whether a node of a wave is turned to when its turn comes: much may have changed since the waves were formed. */
export type TargetStanding =
  | { readonly kind: "due"; readonly target: RolloutTarget }
  /** A marker proves it already: nothing is repeated (DESIGN §3.4). */
  | { readonly kind: "proved"; readonly grade: Grade }
  | { readonly kind: "skip"; readonly reason: SkipReason; readonly detail: string }
  /** This run is about other nodes. */
  | { readonly kind: "not-asked" };

/** The nodes of one unit, as desired state has them now. */
export class TargetStandings {
  readonly #plan: UnitPlan;
  readonly #cells: ReadonlyMap<string, UnitPlan["cells"][number]>;
  readonly #targets: ReadonlyMap<string, RolloutTarget>;
  readonly #nodes: ReadonlyMap<string, DesiredState["nodes"][number]>;
  readonly #asked: ReadonlySet<string> | null;

  constructor(plan: UnitPlan, state: DesiredState) {
    this.#plan = plan;
    this.#cells = new Map(plan.cells.map((cell) => [cell.node, cell]));
    this.#targets = new Map(plan.unit.targets.map((target) => [target.node, target]));
    this.#nodes = new Map(state.nodes.map((node) => [node.name, node]));
    this.#asked = plan.asked === null ? null : new Set(plan.asked.attempt);
  }

  of(name: string, record: Pick<ObservedRecord, "heartbeats">, now: Date): TargetStanding {
    const node = this.#nodes.get(name);
    const target = this.#targets.get(name);
    const cell = this.#cells.get(name);
    if (node === undefined || node.state === "retired")
      return {
        kind: "skip",
        reason: "left-roster",
        detail: node === undefined ? "it left the roster" : "it is retired",
      };
    if (target === undefined || cell === undefined)
      return { kind: "skip", reason: "left-roster", detail: `${this.#plan.unit.id} is not asked of it any more` };
    if (cell.state === "applied") return { kind: "proved", grade: cell.grade };
    const reason = skipReasonOf(cell);
    if (reason !== null) return { kind: "skip", reason, detail: leftOut(cell)?.detail ?? "" };
    if (this.#asked !== null && !this.#asked.has(name)) return { kind: "not-asked" };
    if (node.down !== null && downStanding(node.down, record.heartbeats.get(name), now).standing === "live")
      return { kind: "skip", reason: "down", detail: node.down.reason };
    const { action, digest } = target;
    return { kind: "due", target: { node: name, action, digest } };
  }
}
