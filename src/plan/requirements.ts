import type { Role } from "../desired/desired-state.ts";
import type { DriftEntry } from "./drift.ts";

/** The role and, transitively, what it requires, of the roles that the node has. */
export function requirementsOf(role: Role, roles: readonly Role[]): string[] {
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

/** A role that is not acted on because of one that it requires (DESIGN §3.2). */
export interface BlockedRole {
  readonly role: string;
  readonly because: string;
  /** `failed`: it has what cannot be made as declared · `observed`: it differs, and its `mode` forbids to act on it. */
  readonly why: "failed" | "observed";
}

/**
 * Roles that are not begun at all, because what they require will not be there. A role that is only observed is good
 * enough as long as it is as declared: that is how a fleet is taken in, a role at a time.
 */
export function blockedRoles(roles: readonly Role[], entries: readonly DriftEntry[]): readonly BlockedRole[] {
  const unmet = new Map<string, BlockedRole["why"]>();
  for (const { role, finding, release } of entries) {
    if (release !== undefined) continue;
    if (finding.severity === "error") unmet.set(role.name, "failed");
    else if (role.mode === "observe" && finding.severity === "drift" && !unmet.has(role.name))
      unmet.set(role.name, "observed");
  }
  return roles.flatMap((role) => {
    const because = requirementsOf(role, roles).find((name) => name !== role.name && unmet.has(name));
    const why = because === undefined ? undefined : unmet.get(because);
    return because === undefined || why === undefined ? [] : [{ role: role.name, because, why }];
  });
}
