import { stableJson } from "../kit/stable-json.ts";
import type { NodeReport } from "../model/node-record.ts";
import { itemKey, type RecordedItem, recordedItems, unitOfItem } from "./recorded-items.ts";

/**
 * What a node's report is after another look (DESIGN §4). An item that says the same as before keeps its `discovered_at`, so
 * that drift that did not change gives the same text. `looked`: the units that the look was about, `null` all of them; of
 * the others the previous report still holds, unless another machine stands there now.
 */
export function mergedReport(
  previous: NodeReport | undefined,
  next: NodeReport,
  looked: ReadonlySet<string> | null = null,
): NodeReport {
  const items = recordedItems(next.items);
  if (previous === undefined || previous.machine_id !== next.machine_id) return { ...next, items };
  const before = recordedItems(previous.items);
  const known = new Map(before.map((item) => [itemKey(item), item]));
  const seen = items.map((item) => withFirstSight(item, known.get(itemKey(item))));
  if (looked === null) return { ...next, items: seen };
  const kept = before.filter((item) => !looked.has(unitOfItem(item)));
  const news = seen.filter((item) => looked.has(unitOfItem(item)));
  const digests = Object.entries(previous.digests).filter(([unit]) => !looked.has(unit));
  const looks = Object.entries(next.digests).filter(([unit]) => looked.has(unit));
  return { ...next, digests: Object.fromEntries([...digests, ...looks]), items: recordedItems([...kept, ...news]) };
}

function withFirstSight(item: RecordedItem, before: RecordedItem | undefined): RecordedItem {
  if (before?.discovered_at === undefined || meaning(before) !== meaning(item)) return item;
  return { ...item, discovered_at: before.discovered_at };
}

function meaning({ declared, observed, action_to_apply }: RecordedItem): string {
  return stableJson([declared, observed, action_to_apply.verb]);
}
