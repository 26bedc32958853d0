import type { Role } from "../desired/desired-state.ts";
import type { NodeEffect, Step } from "../model/node-effect.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import { type UnitName, unitKey } from "../model/node-question.ts";
import { resourceType } from "../resources/index.ts";
import { withDaemonReloads } from "./daemon-reload.ts";
import type { DriftEntry } from "./drift.ts";
import { blockedRoles, requirementsOf } from "./requirements.ts";

/**
 * The steps that make a node as declared, one per entry of {@link actedOn}, in order (host-state §4). Before an effect that
 * makes a unit's restart due stands the record of it, so that a run killed in between loses no restart. What is released
 * goes first, since what comes in its place may need its port or its name; when it cannot go, no role has failed.
 */
export function stepsFor(entries: readonly DriftEntry[], roles: readonly Role[], facts: NodeFacts): Step[] {
  const pending = new PendingNotes(roles, facts);
  const steps = actedOn(entries, roles).map((entry): Step => {
    const type = resourceType(entry.resource.record.type);
    const leaving = `released:${entry.role.name}`;
    return {
      role: entry.release === undefined ? entry.role.name : leaving,
      resource: entry.resource.record.id,
      needs: entry.release === undefined ? requirementsOf(entry.role, roles) : [leaving],
      effects: [...pending.before(entry), ...type.effects(entry.resource, entry.finding, facts)],
    };
  });
  return withDaemonReloads(steps, facts);
}

/** Acted on: what has a verb that does something, in a role that is enforced and not blocked. An error never has one. */
export function actedOn(entries: readonly DriftEntry[], roles: readonly Role[]): DriftEntry[] {
  const left = new Set(blockedRoles(roles, entries).map(({ role }) => role));
  return entries.filter(({ role, finding, release }) => {
    if (finding.verb === "noop" || role.mode !== "enforce") return false;
    return release === undefined ? !left.has(role.name) : release.ready;
  });
}

/** Collects, over one run, which resources made which unit's restart due, beginning with what the node remembers. */
class PendingNotes {
  readonly #because = new Map<string, Set<string>>();
  readonly #restart = new Set<string>();
  readonly #roles: readonly Role[];
  readonly #facts: NodeFacts;

  constructor(roles: readonly Role[], facts: NodeFacts) {
    this.#roles = roles.filter((role) => role.mode === "enforce");
    this.#facts = facts;
    for (const [key, record] of facts.pending) {
      this.#because.set(key, new Set(record.because));
      if (record.how === "restart") this.#restart.add(key);
    }
  }

  /** The records to leave before this entry's effects: of every unit, of any role, that it makes due. */
  before(entry: DriftEntry): NodeEffect[] {
    return this.#roles.flatMap((role) =>
      role.resources.flatMap((dependant) => {
        const type = resourceType(dependant.record.type);
        const trigger = type.trigger?.(dependant, entry.resource, this.#facts, role.resources) ?? null;
        return trigger === null ? [] : [this.#note(trigger.unit, trigger.how, entry.resource.record.id)];
      }),
    );
  }

  #note(unit: UnitName, how: "restart" | "reload", id: string): NodeEffect {
    const key = unitKey(unit);
    const because = this.#because.get(key) ?? new Set();
    this.#because.set(key, because.add(id));
    if (how === "restart") this.#restart.add(key);
    return {
      do: "note-pending",
      unit,
      how: this.#restart.has(key) ? "restart" : "reload",
      because: [...because].sort(),
    };
  }
}
