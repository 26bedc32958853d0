import { isMap, isScalar, isSeq } from "yaml";
import {
  appendLine,
  appendToFlow,
  insertKey,
  type NewText,
  pairOf,
  plain,
  removeWhere,
  replaceValue,
  rootOf,
} from "./yaml-text.ts";

/** A list of small maps under the root, each known by one of its scalars: `declines`, by `unit`. */
export interface RecordList {
  readonly key: string;
  readonly id: string;
}

/** Adds a record, or gives the one of that id these values; what stands beside them in the file stays. */
export function putRecord(
  text: string,
  list: RecordList,
  record: Readonly<Record<string, string>>,
  order: readonly string[],
): NewText {
  const outer = pairOf(rootOf(text), list.key);
  const written = flowMap(record);
  if (outer === undefined) return insertKey(text, list.key, `[${written}]`, order);
  if (!isSeq(outer.value)) return null;
  const known = outer.value.items.some((item) => idOf(item, list.id) === record[list.id]);
  if (known) {
    return Object.entries(record).reduce<NewText>(
      (sofar, [field, value]) => (sofar === null ? null : setField(sofar, list, record[list.id] ?? "", field, value)),
      text,
    );
  }
  return outer.value.flow ? appendToFlow(text, outer.value, written) : appendLine(text, outer.value, `- ${written}`);
}

/** Removes the record of that id, and the list with its last one. */
export function removeRecord(text: string, { key, id }: RecordList, which: string): NewText {
  return removeWhere(text, key, (item) => idOf(item, id) === which);
}

/** Read anew for each field: the one before has moved what lies behind it. */
function setField(text: string, { key, id }: RecordList, which: string, field: string, value: string): NewText {
  const list = pairOf(rootOf(text), key)?.value;
  const item = isSeq(list) ? list.items.find((one) => idOf(one, id) === which) : undefined;
  const pair = isMap(item) ? pairOf(item, field) : undefined;
  return pair === undefined ? null : replaceValue(text, pair, value, plain(value));
}

function flowMap(record: Readonly<Record<string, string>>): string {
  const entries = Object.entries(record).map(([key, value]) => `${plain(key)}: ${plain(value)}`);
  return `{ ${entries.join(", ")} }`;
}

function idOf(item: unknown, id: string): string | undefined {
  const value = isMap(item) ? pairOf(item, id)?.value : undefined;
  return isScalar(value) ? String(value.value) : undefined;
}
