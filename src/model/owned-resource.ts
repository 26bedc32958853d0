import { z } from "zod";
import { RESOURCE_TYPES, type ResourceTypeName } from "./drift-item.ts";
import { name } from "./scalar.ts";

/**
 * One resource that rollcall made as declared on a node, as the node's own record has it (DESIGN §3.2: what leaves desired
 * state is released). It holds no content and no secret, only what taking the resource away would need.
 */
export interface OwnedResource {
  readonly role: string;
  readonly type: ResourceTypeName;
  readonly id: string;
  /** The rest of the record that says it is gone, as a manifest would write it; null: it cannot be taken away. */
  readonly removal: Readonly<Record<string, string>> | null;
}

/** What a node's record says. It comes from a node: whoever acts on it reads `removal` with the type's own schema first. */
export interface OwnedFact {
  readonly resources: readonly OwnedResource[];
  /** Lines that are no entry of ours and are not believed. */
  readonly rejected: number;
}

/** What a run makes of the record: a list before its first step and one after its last. */
export interface OwnedChange {
  /** On the disk before anything is done, so that a run that is cut off leaves nothing behind that is not recorded. */
  readonly before: readonly OwnedResource[];
  readonly after: readonly {
    readonly resource: OwnedResource;
    /** Kept in the record only if that step of the run was done, or only if it was not; null: always. */
    readonly only: { readonly step: number; readonly done: boolean } | null;
  }[];
}

/** More than any node has; what a node sends beyond it is not read. */
export const OWNED_LIMIT = 10_000;

export const ownedResourceSchema = z.strictObject({
  role: name,
  type: z.enum(RESOURCE_TYPES),
  id: z
    .string()
    .max(4200)
    .regex(/^[^\p{Cc}]+$/u),
  removal: z.record(z.string().max(64), z.string().max(4200)).nullable(),
});
