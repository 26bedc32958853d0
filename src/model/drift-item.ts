import { z } from "zod";

/** host-state §4: the closed verb set. `noop` carries what cannot be acted on, with the reason. */
export const VERBS = [
  "install",
  "upgrade",
  "remove",
  "write",
  "chmod",
  "chown",
  "start",
  "stop",
  "enable",
  "disable",
  "run",
  "noop",
] as const;
export type Verb = (typeof VERBS)[number];

export const RESOURCE_TYPES = ["package", "file", "directory", "systemd_unit", "env", "command"] as const;
export type ResourceTypeName = (typeof RESOURCE_TYPES)[number];

export const SEVERITIES = ["drift", "warn", "error"] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * One difference between a declared resource and what the node answered: the unit of currency between check and apply
 * (host-state §4, `schemas/drift-item.v1.json`).
 */
export const driftItemSchema = z.looseObject({
  host: z.string(),
  role: z.string(),
  resource: z.looseObject({ type: z.enum(RESOURCE_TYPES), id: z.string() }),
  declared: z.unknown().refine((value) => value !== undefined),
  observed: z.unknown().refine((value) => value !== undefined),
  action_to_apply: z.looseObject({ verb: z.enum(VERBS), params: z.record(z.string(), z.unknown()).optional() }),
  severity: z.enum(SEVERITIES),
  idempotent: z.boolean().optional(),
  discovered_at: z.iso.datetime({ offset: true }).optional(),
});

export interface DriftItem {
  readonly host: string;
  readonly role: string;
  readonly resource: { readonly type: ResourceTypeName; readonly id: string };
  /** The declared record with its defaults filled in, shaped as in host-state §2. */
  readonly declared: Readonly<Record<string, unknown>>;
  /** The observed-state record of host-state §3, or null when the resource is absent on the node. */
  readonly observed: Readonly<Record<string, unknown>> | null;
  readonly action_to_apply: { readonly verb: Verb; readonly params: Readonly<Record<string, unknown>> };
  readonly severity: Severity;
  readonly idempotent: boolean;
  /** RFC 3339, UTC. */
  readonly discovered_at: string;
}
