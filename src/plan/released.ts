import type { Role } from "../desired/desired-state.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import { mergeQuestions, type NodeQuestions } from "../model/node-question.ts";
import type { OwnedResource } from "../model/owned-resource.ts";
import type { Declared, ResourceRecord } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";
import { type DeclaredClaims, declaredClaims } from "./declared-claims.ts";

/** An entry of a record of what is rollcall's, once it is understood. */
export interface OwnedEntry {
  readonly owned: OwnedResource;
  /** The resource as one that is to be gone; null: it cannot be taken away. */
  readonly gone: Declared | null;
}

/** A record beside the roles of its node: whose each entry is now. */
export interface OwnedReading {
  /** No role of the node declares it any more (DESIGN §3.2), in the order of the record. */
  readonly released: readonly OwnedEntry[];
  /** Declared, by this resource. */
  readonly declared: readonly { readonly entry: OwnedEntry; readonly by: Declared }[];
  /** Not declared, and something declared needs it: a folder of declared files. */
  readonly needed: readonly OwnedEntry[];
  /** Nothing that a record of ours could say. */
  readonly rejected: number;
}

/**
 * What left desired state (DESIGN §3.2). Pure: `owned` is a record from wherever one is kept, and is not believed; `roles`
 * are all that the node has now. What moved from one role to another, or changed its id, is still declared.
 */
export function releasedItems(owned: readonly OwnedResource[], roles: readonly Role[]): OwnedReading {
  const claims = declaredClaims(roles);
  const byId = new Map(
    roles.flatMap((role) =>
      role.resources.flatMap((resource) =>
        [idOf("", resource.record), idOf(role.name, resource.record)].map((id) => [id, resource] as const),
      ),
    ),
  );
  const released: OwnedEntry[] = [];
  const declared: { entry: OwnedEntry; by: Declared }[] = [];
  const needed: OwnedEntry[] = [];
  let rejected = 0;
  for (const one of owned) {
    const entry = understand(one);
    const by = entry === null ? undefined : declaredNow(entry, claims, byId);
    if (entry === null) rejected += 1;
    else if (by !== undefined) declared.push({ entry, by });
    else if (entry.gone !== null && claims.needs(entry.gone)) needed.push(entry);
    else released.push(entry);
  }
  return { released, declared, needed, rejected };
}

/** What has to be asked of the node to know what became of them. */
export function releaseQuestions(released: readonly OwnedEntry[]): NodeQuestions {
  return mergeQuestions(
    released.flatMap(({ gone }) => (gone === null ? [] : resourceType(gone.record.type).questions(gone.record))),
  );
}

/** How a resource stands in a record, should it be rollcall's; null: nothing of it is there to be owned. */
export function ownedResource({ role, record }: Declared): OwnedResource | null {
  const removal = resourceType(record.type).removal(record);
  if (removal === null) return null;
  return { role, type: record.type, id: record.id, removal: removal === "stays" ? null : removal };
}

/**
 * A unit may be declared under another of its names than it was, which only the node knows: then it is not the released one
 * that is to be stopped.
 */
export function isDeclaredUnderOtherName(gone: Declared, roles: readonly Role[], facts: NodeFacts): boolean {
  const own = unitIds(gone, facts);
  return roles.some((role) =>
    role.resources.some((resource) => unitIds(resource, facts).some((id) => own.includes(id))),
  );
}

function unitIds({ record }: Declared, facts: NodeFacts): readonly string[] {
  return resourceType(record.type)
    .claims(record)
    .filter((claim) => claim.startsWith("unit:"))
    .flatMap((claim) => {
      const key = claim.slice("unit:".length);
      const id = facts.units.get(key)?.id;
      return id === undefined || id === "" ? [] : [key.slice(0, key.lastIndexOf("//") + 1) + id];
    });
}

/**
 * The record comes from a node: only what the type's own schema and rules would admit, and only what says that a thing is to
 * be gone, is ever acted on. Neither a file to write nor a command to run can come that way.
 */
function understand(owned: OwnedResource): OwnedEntry | null {
  if (owned.removal === null) return { owned, gone: null };
  const type = resourceType(owned.type);
  const record = type.schema.safeParse({ ...owned.removal, type: owned.type, id: owned.id }).data;
  if (record === undefined || type.removal(record) !== null) return null;
  const gone = { role: owned.role, record, content: null };
  return type.problems(gone, []).some(({ severity }) => severity === "error") ? null : { owned, gone };
}

function declaredNow(
  { owned, gone }: OwnedEntry,
  claims: DeclaredClaims,
  byId: ReadonlyMap<string, Declared>,
): Declared | undefined {
  if (gone !== null) return claims.declaredBy(gone);
  return byId.get(idOf(owned.role, owned)) ?? byId.get(idOf("", owned));
}

function idOf(role: string, { type, id }: Pick<ResourceRecord, "type" | "id">): string {
  return `${role} ${type} ${id}`;
}
