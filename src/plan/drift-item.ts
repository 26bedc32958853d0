import type { DriftItem } from "../model/drift-item.ts";
import type { Declared, Finding, Observed } from "../resources/contract.ts";

/** The item that reports carry (host-state §4); `at` becomes `discovered_at`. */
export function driftItem(of: {
  readonly host: string;
  readonly role: string;
  readonly resource: Declared;
  readonly finding: Finding;
  readonly observed: Observed | null;
  readonly at: Date;
}): DriftItem {
  const { record } = of.resource;
  const { verb, params, reasons, severity } = of.finding;
  return {
    host: of.host,
    role: of.role,
    resource: { type: record.type, id: record.id },
    declared: { ...record },
    observed: of.observed,
    action_to_apply: { verb, params: { ...params, reasons } },
    severity,
    idempotent: !("idempotent" in record) || record.idempotent !== false,
    discovered_at: of.at.toISOString(),
  };
}
