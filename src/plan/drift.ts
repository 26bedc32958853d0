import type { Role } from "../desired/desired-state.ts";
import type { DriftItem } from "../model/drift-item.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { CompareContext, Declared, Finding } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";

/** One resource that is not as declared: what the plan acts on, and the item that reports carry. */
export interface DriftEntry {
  readonly role: Role;
  readonly resource: Declared;
  readonly finding: Finding;
  readonly item: DriftItem;
}

/**
 * Compares all resources of a node, in apply order, with what it answered (host-state §4). Pure: `at` is the time that
 * becomes `discovered_at`.
 */
export function compareNode(host: string, roles: readonly Role[], facts: NodeFacts, at: Date): DriftEntry[] {
  const entries: DriftEntry[] = [];
  const changing = new Set<string>();
  for (const role of roles) {
    const changingIds = new Set<string>();
    for (const resource of role.resources) {
      const type = resourceType(resource.record.type);
      const context: CompareContext = {
        changing,
        changingIds,
        earlierDrift: changing.size > 0,
        siblings: role.resources,
      };
      const finding = type.compare(resource, facts, context);
      if (finding === null) continue;
      entries.push({ role, resource, finding, item: driftItem(host, role, resource, finding, facts, at) });
      if (finding.verb === "noop" || role.mode === "observe") continue;
      changingIds.add(resource.record.id);
      for (const claim of type.claims(resource.record)) changing.add(claim);
    }
  }
  return entries;
}

function driftItem(
  host: string,
  role: Role,
  resource: Declared,
  finding: Finding,
  facts: NodeFacts,
  at: Date,
): DriftItem {
  const type = resourceType(resource.record.type);
  return {
    host,
    role: role.name,
    resource: { type: resource.record.type, id: resource.record.id },
    declared: { ...resource.record },
    observed: type.observe(resource, facts),
    action_to_apply: { verb: finding.verb, params: { ...finding.params, reasons: finding.reasons } },
    severity: finding.severity,
    idempotent: !("idempotent" in resource.record) || resource.record.idempotent !== false,
    discovered_at: at.toISOString(),
  };
}
