import type { NodeFacts } from "../model/node-facts.ts";
import { compareNode, type DriftEntry } from "../plan/drift.ts";
import { declaredPath } from "../resources/declared-path.ts";
import type { NodeWork } from "./node-work.ts";

/**
 * Services of the node's other roles that run and are to be restarted for what these roles change, or changed before they
 * were cut off (DESIGN §3.2). Each role is a rollout of its own, so nobody else would come to do it: the other role is as
 * declared. `watched`: keys of services that were restarted so, and that must be up after it.
 */
export function restartsBeside(
  work: NodeWork,
  facts: NodeFacts,
  at: Date,
  released: readonly DriftEntry[],
  watched: ReadonlySet<string>,
): readonly DriftEntry[] {
  if (work.beside.length === 0) return [];
  const ours = causesIn(work, released);
  return work.beside.flatMap((role) =>
    compareNode(work.node.name, [...work.roles, role], facts, at, released).filter(
      (entry) =>
        entry.role === role &&
        isService(entry) &&
        (isRunningAndDue(entry, ours) || (isDown(entry) && watched.has(keyOf(entry)))),
    ),
  );
}

/** Which services an apply of these entries restarts in other roles. */
export function besideKeys(work: NodeWork, entries: readonly DriftEntry[]): ReadonlySet<string> {
  return new Set(entries.filter(({ role }) => work.beside.includes(role)).map(keyOf));
}

/** As a restart that is due names what made it so: by id in its own role, by path elsewhere. */
function causesIn({ roles }: NodeWork, released: readonly DriftEntry[]): ReadonlySet<string> {
  const resources = [...roles.flatMap((role) => role.resources), ...released.map(({ resource }) => resource)];
  return new Set(
    resources.flatMap((resource) => {
      const path = declaredPath(resource);
      return path === null ? [resource.record.id] : [resource.record.id, `file:${path}`];
    }),
  );
}

function isService({ resource }: DriftEntry): boolean {
  return resource.record.type === "systemd_unit";
}

/** What does not run needs no restart: its own rollout starts it. */
function isRunningAndDue(entry: DriftEntry, causes: ReadonlySet<string>): boolean {
  const { finding } = entry;
  const { because } = finding.params;
  return (
    !isDown(entry) &&
    finding.verb !== "noop" &&
    Array.isArray(because) &&
    because.some((cause) => typeof cause === "string" && causes.has(cause))
  );
}

function isDown({ item }: DriftEntry): boolean {
  return item.observed?.active !== true;
}

function keyOf({ role, resource }: DriftEntry): string {
  return `${role.name} ${resource.record.id}`;
}
