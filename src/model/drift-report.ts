import type { DriftItem, ResourceTypeName, Severity, Verb } from "./drift-item.ts";

/** host-state §4: the envelope that check and apply share. */
export interface DriftReport {
  /** `<run_id>/<host>`. */
  readonly drift_report_id: string;
  readonly run_id: string;
  readonly host: string;
  /** RFC 3339, UTC, by the controller's clock. */
  readonly started_at: string;
  readonly finished_at: string;
  readonly dry_run: boolean;
  /** Only in what `apply` returns: before the actions, and after them (the convergence check). */
  readonly stage?: "before" | "after";
  readonly items: readonly DriftItem[];
  readonly stats: DriftStats;
}

export interface DriftStats {
  readonly by_severity: Readonly<Partial<Record<Severity, number>>>;
  readonly by_verb: Readonly<Partial<Record<Verb, number>>>;
  readonly by_resource_type: Readonly<Partial<Record<ResourceTypeName, number>>>;
}

export function driftStats(items: readonly DriftItem[]): DriftStats {
  return {
    by_severity: count(items.map((item) => item.severity)),
    by_verb: count(items.map((item) => item.action_to_apply.verb)),
    by_resource_type: count(items.map((item) => item.resource.type)),
  };
}

/** Converged (DESIGN §3.2): no `drift` and no `error` item; the `warn` of a non-idempotent command does not count. */
export function isConverged(items: readonly DriftItem[]): boolean {
  return items.every((item) => item.severity === "warn");
}

function count<Key extends string>(keys: readonly Key[]): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}
