import { groupBy } from "../kit/group-by.ts";
import type { DriftItem } from "../model/drift-item.ts";
import { type DriftReport, driftStats } from "../model/drift-report.ts";
import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import { itemKey } from "../plan/recorded-items.ts";
import type { HeldUnit, NodeParts } from "./apply-turns.ts";
import type { NodeWork } from "./node-work.ts";

interface SummaryContext {
  readonly visits: readonly (NodeOutcome & { readonly unit: string })[];
  readonly settled: readonly NodeOutcome[];
  readonly held: readonly HeldUnit[];
  readonly down: ReadonlySet<string>;
}

/** One outcome of a node that was turned to several times: what went wrong first, else what is held back, else the last look. */
export function worstOutcome({ work }: NodeParts, { visits, settled, held, down }: SummaryContext): NodeOutcome {
  const { name } = work.node;
  // A unit that was turned to twice is as it was left the last time.
  const lastVisits = new Map(visits.filter(({ node }) => node === name).map((visit) => [visit.unit, visit]));
  const failed = [...lastVisits.values()].find(({ outcome }) => !OUTCOMES[outcome].good);
  const whole = settled.find(({ node }) => node === name);
  const behind = held.filter(({ node, unit }) => node === name && unit !== failed?.unit);
  const told = behind.map(({ unit, why }) => `${unit} is held back: ${why}`);
  if (failed !== undefined) {
    const message = [`${failed.unit}: ${failed.message}`, ...told].join("; ");
    return { node: name, outcome: failed.outcome, message };
  }
  if (whole !== undefined && !OUTCOMES[whole.outcome].good) {
    return { ...whole, message: [whole.message, ...told].filter((part) => part !== "").join("; ") };
  }
  if (behind.length > 0) return { node: name, outcome: "not-converged", message: told.join("; ") };
  if (whole !== undefined) return whole;
  if (lastVisits.size > 0) return { node: name, outcome: "converged", message: "" };
  if (down.has(name)) {
    const message = `down by verdict, not attempted: "${work.node.down?.reason ?? ""}"; name it to try all the same`;
    return { node: name, outcome: "skipped", message };
  }
  return { node: name, outcome: "skipped", message: "every unit of it is declined or claimed" };
}

/** Two of each node that was turned to: as it was met, and as it was left (DESIGN §5). */
export function mergedReports(
  works: readonly NodeWork[],
  reports: readonly DriftReport[],
  runId: string,
): readonly DriftReport[] {
  const byHost = groupBy(reports, ({ host }) => host);
  return works.flatMap(({ node }) => {
    const own = byHost.get(node.name) ?? [];
    return (["before", "after"] as const).flatMap((stage) => mergedStage(own, stage, runId));
  });
}

function mergedStage(own: readonly DriftReport[], stage: "before" | "after", runId: string): readonly DriftReport[] {
  const parts = own.filter((report) => report.stage === stage);
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return [];
  const items = new Map<string, DriftItem>();
  for (const item of parts.flatMap((part) => part.items)) {
    if (stage === "after" || !items.has(itemKey(item))) items.set(itemKey(item), item);
  }
  const all = [...items.values()];
  const { host, started_at } = first;
  const { finished_at, dry_run } = last;
  return [
    {
      drift_report_id: `${runId}/${host}`,
      run_id: runId,
      host,
      started_at,
      finished_at,
      dry_run,
      stage,
      items: all,
      stats: driftStats(all),
    },
  ];
}
