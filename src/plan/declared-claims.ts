import type { Role } from "../desired/desired-state.ts";
import type { Declared } from "../resources/contract.ts";
import { isDeclaredPresent } from "../resources/declared-path.ts";
import { resourceType } from "../resources/index.ts";

/** What the roles of a node say is theirs there, so that nobody takes it away (DESIGN §3.2: released items). */
export interface DeclaredClaims {
  /** The resource that declares what this one is about, whatever its id and its role. */
  declaredBy(resource: Declared): Declared | undefined;
  /** Something declared needs it to be there, although nothing declares it. */
  needs(resource: Declared): boolean;
}

/** `roles`: all that the node has, not only those that a run is about. */
export function declaredClaims(roles: readonly Role[]): DeclaredClaims {
  const byClaim = new Map<string, Declared>();
  const needed = new Set<string>();
  for (const resource of roles.flatMap((role) => role.resources)) {
    for (const claim of claimsOf(resource)) byClaim.set(claim, resource);
    if (!isDeclaredPresent(resource)) continue;
    for (const claim of [...claimsOf(resource), ...unitFileOf(resource)]) needed.add(claim);
  }
  return {
    declaredBy: (resource) => claimsOf(resource).flatMap((claim) => byClaim.get(claim) ?? [])[0],
    needs: (resource) =>
      claimsOf(resource).some(
        (claim) => needed.has(claim) || (resource.record.type === "directory" && holdsSome(claim, needed)),
      ),
  };
}

/** Claims by which two records of one thing meet. */
export function claimsOf({ record }: Declared): readonly string[] {
  return resourceType(record.type).claims(record).map(meetingPoint);
}

function holdsSome(directory: string, claims: ReadonlySet<string>): boolean {
  return [...claims].some((claim) => claim.startsWith(`${directory}/`));
}

function unitFileOf({ record }: Declared): readonly string[] {
  return "unit_file" in record && typeof record.unit_file === "string"
    ? [meetingPoint(`path:${record.unit_file}`)]
    : [];
}

/**
 * Folders that Debian has under two names, what a command creates, and a package of one architecture and of any: in doubt it
 * is one thing, since what is taken for another one would be removed.
 */
function meetingPoint(claim: string): string {
  return claim
    .replace(/^created:/, "path:")
    .replace(/^path:(?=\/(?:bin|sbin|lib|lib32|lib64|libx32)(?:\/|$))/, "path:/usr")
    .replace(/^path:\/var\/run(?=\/|$)/, "path:/run")
    .replace(/^(package:[^:]+):.*$/, "$1");
}
