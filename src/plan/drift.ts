import type { Role } from "../desired/desired-state.ts";
import type { DriftItem } from "../model/drift-item.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { OwnedResource } from "../model/owned-resource.ts";
import type { CompareContext, Declared, Finding } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";
import { driftItem } from "./drift-item.ts";

/** One resource that is not as declared: what the plan acts on, and the item that reports carry. */
export interface DriftEntry {
  readonly role: Role;
  readonly resource: Declared;
  readonly finding: Finding;
  readonly item: DriftItem;
  /** Of a resource that left desired state: its entry in the node's record, and whether it can be taken away yet. */
  readonly release?: { readonly owned: OwnedResource; readonly ready: boolean };
}

/**
 * Compares all resources of a node, in apply order, with what it answered (host-state §4). Pure: `at` is the time that
 * becomes `discovered_at`; `released` is what leaves the node before, so that who reads a file of it is told.
 */
export function compareNode(
  host: string,
  roles: readonly Role[],
  facts: NodeFacts,
  at: Date,
  released: readonly DriftEntry[] = [],
): DriftEntry[] {
  const entries: DriftEntry[] = [];
  const changing = new Set(released.flatMap(leavingPaths));
  let earlierDrift = false;
  for (const role of roles) {
    const changingIds = new Set<string>();
    for (const resource of role.resources) {
      const type = resourceType(resource.record.type);
      const context: CompareContext = {
        changing,
        changingIds,
        earlierDrift,
        siblings: role.resources,
      };
      const finding = type.compare(resource, facts, context);
      if (finding === null) continue;
      const observed = type.observe(resource, facts);
      entries.push({
        role,
        resource,
        finding,
        item: driftItem({ host, role: role.name, resource, finding, observed, at }),
      });
      if (finding.verb === "noop" || role.mode === "observe") continue;
      changingIds.add(resource.record.id);
      for (const claim of type.claims(resource.record)) changing.add(claim);
      earlierDrift ||= type.claims(resource.record).length > 0;
    }
  }
  return entries;
}

/** A package that goes brings no units, so only paths count. */
function leavingPaths({ resource, release }: DriftEntry): readonly string[] {
  if (release?.ready !== true) return [];
  return resourceType(resource.record.type)
    .claims(resource.record)
    .filter((claim) => claim.startsWith("path:"));
}
