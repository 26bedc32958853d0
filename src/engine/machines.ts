import type { DesiredState } from "../desired/desired-state.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";

/**
 * Which machine each node is, as it was last read: one machine under two names is refused before anything is done to either
 * (DESIGN §3), also when the two are not looked at in the same run.
 */
export class Machines {
  readonly #ofNode = new Map<string, string>();
  readonly #names = new Map<string, Set<string>>();

  constructor(state: DesiredState, { states, reports }: Pick<ObservedRecord, "states" | "reports">) {
    for (const { name, state: standing } of state.nodes) {
      if (standing === "retired") continue;
      this.seen(name, reports.get(name)?.machine_id ?? states.get(name)?.machine_id ?? null);
    }
  }

  seen(node: string, machineId: string | null): void {
    const before = this.#ofNode.get(node);
    if (before !== undefined) this.#names.get(before)?.delete(node);
    this.#ofNode.delete(node);
    if (machineId === null) return;
    this.#ofNode.set(node, machineId);
    this.#names.set(machineId, (this.#names.get(machineId) ?? new Set()).add(node));
  }

  /** Sorted. */
  namesOf(machineId: string | null): readonly string[] {
    return machineId === null ? [] : [...(this.#names.get(machineId) ?? [])].sort();
  }
}
