import type { DesiredState, Node, Role } from "./desired-state.ts";

/** The base role: every Linux node has it without naming it, as soon as its manifest exists (host-state §6). */
export const BASE_ROLE = "host";

/** Names of a node's roles, the base role first; `known` are the roles that exist. */
export function roleNamesOf(
  node: Pick<Node, "os" | "roles">,
  known: { has(name: string): boolean },
): readonly string[] {
  const based = node.os === "linux" && known.has(BASE_ROLE) && !node.roles.includes(BASE_ROLE);
  return based ? [BASE_ROLE, ...node.roles] : node.roles;
}

/**
 * A node's roles in apply order: `host` first, then each after those it requires, otherwise as the node lists them
 * (DESIGN §3.2). What `host` itself requires goes before it.
 */
export function rolesOf(node: Pick<Node, "os" | "roles">, state: Pick<DesiredState, "roles">): readonly Role[] {
  const own = new Set(roleNamesOf(node, state.roles));
  const ordered = new Map<string, Role>();
  const visiting = new Set<string>();
  const visit = (name: string): void => {
    const role = own.has(name) ? state.roles.get(name) : undefined;
    if (role === undefined || ordered.has(name) || visiting.has(name)) return;
    visiting.add(name);
    for (const required of role.requires) visit(required);
    ordered.set(name, role);
  };
  if (own.has(BASE_ROLE)) visit(BASE_ROLE);
  for (const name of own) visit(name);
  return [...ordered.values()];
}
