import type { DesiredState, IgnoredDrift, Node } from "../desired/desired-state.ts";
import type { NodeReport } from "../model/node-record.ts";
import { type Ignores, ignoredDrift, isExpiredIgnore } from "./ignored-drift.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { itemKey, type RecordedItem, unitOfItem } from "./recorded-items.ts";

/** One fact that is not as declared, on one node. */
export interface AuditFinding {
  readonly node: string;
  readonly unit: string;
  readonly item: RecordedItem;
}

/** Why a finding is not alerted of: closed, stable codes. */
export type AsideReason = "observe-mode" | "declined" | "claimed" | "ignored" | "below-alert-after";

export interface AsideFinding extends AuditFinding {
  readonly why: AsideReason;
  /** One line for people. */
  readonly detail: string;
}

export interface AuditFindings {
  /** The node proved just this, and is not so any more: it changed there (DESIGN §3.2). */
  readonly corrective: readonly AuditFinding[];
  /** Desired state changed, and is not rolled out there yet: pending, no fault of the node. */
  readonly intentional: readonly AuditFinding[];
  readonly aside: readonly AsideFinding[];
  /** Entries of `drift.ignore` whose `until` has passed: they hide nothing any more. */
  readonly expiredIgnores: readonly IgnoredDrift[];
  /** Of each node that was read: audits in a row that saw an item, this one included, by the item's key. */
  readonly seen: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** Enforced units that some node was asked for and that it neither declines nor claims. */
  readonly compared: number;
}

/** What the nodes' answers mean beside what they proved. Pure; `reports` are those of the nodes that were read just now. */
export function auditFindings(
  state: DesiredState,
  record: ObservedRecord,
  reports: ReadonlyMap<string, NodeReport>,
  now: Date,
): AuditFindings {
  const expiredIgnores = state.fleet.drift.ignore.filter((entry) => isExpiredIgnore(entry, now));
  const ignores = ignoredDrift(state.fleet.drift.ignore, now);
  const corrective: AuditFinding[] = [];
  const intentional: AuditFinding[] = [];
  const aside: AsideFinding[] = [];
  const seen = new Map<string, Record<string, number>>();
  let compared = 0;
  for (const node of state.nodes) {
    const report = reports.get(node.name);
    if (report === undefined) continue;
    compared += Object.keys(report.digests).filter((unit) => isAsked(unit, node, state)).length;
    const own = report.items.filter(({ severity }) => severity !== "warn");
    const before = record.heartbeats.get(node.name)?.drift_seen ?? {};
    const counts = Object.fromEntries(own.map((item) => [itemKey(item), (before[itemKey(item)] ?? 0) + 1]));
    seen.set(node.name, counts);
    for (const item of own) {
      const finding = { node: node.name, unit: unitOfItem(item), item };
      const set = setAside(finding, { state, node, ignores, count: counts[itemKey(item)] ?? 1 });
      if (set !== null) aside.push({ ...finding, ...set });
      else if (isProvedLost(finding, record, report)) corrective.push(finding);
      else intentional.push(finding);
    }
  }
  return { corrective, intentional, aside, expiredIgnores, seen, compared };
}

function isAsked(unit: string, node: Node, state: DesiredState): boolean {
  return modeOf(unit, state) === "enforce" && ![...node.declines, ...node.claims].some((word) => word.unit === unit);
}

function isProvedLost({ node, unit }: AuditFinding, record: ObservedRecord, report: NodeReport): boolean {
  const marker = record.states.get(node)?.markers.find((one) => one.unit === unit);
  return marker !== undefined && marker.digest === report.digests[unit];
}

interface AsideContext {
  readonly state: DesiredState;
  readonly node: Node;
  readonly ignores: Ignores;
  readonly count: number;
}

function setAside(
  { unit, item }: AuditFinding,
  { state, node, ignores, count }: AsideContext,
): Pick<AsideFinding, "why" | "detail"> | null {
  if (modeOf(unit, state) === "observe") return { why: "observe-mode", detail: "its role only observes" };
  const declined = node.declines.find((word) => word.unit === unit);
  if (declined !== undefined) return { why: "declined", detail: `"${declined.reason}" (${declined.by})` };
  const claimed = node.claims.find((word) => word.unit === unit);
  if (claimed !== undefined) {
    return { why: "claimed", detail: `"${claimed.note}" (${claimed.by}), and the node says otherwise` };
  }
  const ignored = ignores(node.name, item);
  if (ignored !== undefined) return { why: "ignored", detail: `"${ignored.reason}", until ${ignored.until}` };
  const { alertAfter } = state.fleet.drift;
  if (count >= alertAfter) return null;
  return { why: "below-alert-after", detail: `seen by ${count} of ${alertAfter} audits in a row` };
}

function modeOf(unit: string, state: DesiredState): "enforce" | "observe" {
  return state.roles.get(unit.slice("role:".length))?.mode ?? "enforce";
}
