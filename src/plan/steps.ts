import type { Role } from "../desired/desired-state.ts";
import type { NodeEffect, Step } from "../model/node-effect.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import { type UnitName, unitKey } from "../model/node-question.ts";
import { resourceType } from "../resources/index.ts";
import { withDaemonReloads } from "./daemon-reload.ts";
import type { DriftEntry } from "./drift.ts";

/**
 * The steps that make a node as declared, one per drift item that can be acted on, in order (host-state §4). Before an
 * effect that makes a unit's restart due stands the record of it, so that a run killed in between loses no restart.
 */
export function stepsFor(entries: readonly DriftEntry[], roles: readonly Role[], facts: NodeFacts): Step[] {
  const pending = new PendingNotes(roles, facts);
  const steps = entries.filter(isActionable).map((entry): Step => {
    const type = resourceType(entry.resource.record.type);
    return {
      role: entry.role.name,
      resource: entry.resource.record.id,
      needs: requirementsOf(entry.role, roles),
      effects: [...pending.before(entry), ...type.effects(entry.resource, entry.finding, facts)],
    };
  });
  return withDaemonReloads(steps, facts);
}

/** Acted on: what has a verb that does something, in a role that is enforced. An error never has one. */
export function isActionable(entry: DriftEntry): boolean {
  return entry.role.mode === "enforce" && entry.finding.verb !== "noop";
}

/** The role and, transitively, what it requires, of the roles that the node has. */
function requirementsOf(role: Role, roles: readonly Role[]): string[] {
  const byName = new Map(roles.map((other) => [other.name, other]));
  const needed = new Set<string>();
  const visit = (name: string): void => {
    const found = byName.get(name);
    if (found === undefined || needed.has(name)) return;
    needed.add(name);
    for (const required of found.requires) visit(required);
  };
  visit(role.name);
  return [...needed];
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
