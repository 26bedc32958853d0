import type { YamlValue } from "../yaml/values.ts";
import { NODE_KEY_ORDER, type NodeChange } from "./node-change.ts";
import { setList } from "./yaml-list.ts";
import { putRecord, removeRecord } from "./yaml-records.ts";
import { addItem, type NewText, plain, removeFrom, removeKey, setEntry, setScalar } from "./yaml-text.ts";

type NodeValue = { readonly [key: string]: YamlValue };

/** A new node's file; maps and lists in one line each. */
export function newNodeText(name: string, changes: readonly NodeChange[]): string {
  const text = changedNodeText(`name: ${plain(name)}\n`, changes);
  if (text === null) throw new Error("a file that begins with its name could not be extended");
  return text;
}

/** The text after the changes, one after the other; null when it cannot be kept as it is otherwise. */
export function changedNodeText(text: string, changes: readonly NodeChange[]): NewText {
  return changes.reduce<NewText>((sofar, change) => (sofar === null ? null : applyOne(sofar, change)), text);
}

/** What the file's value must be after a change: the text's own new value is held against it. */
export function changedValue(value: NodeValue, change: NodeChange): NodeValue {
  const { [change.key]: old, ...others } = value;
  const with_ = (next: YamlValue | undefined): NodeValue =>
    next === undefined ? others : { ...value, [change.key]: next };
  const list = Array.isArray(old) ? (old as readonly YamlValue[]) : [];
  const map = typeof old === "object" && !Array.isArray(old) ? (old as NodeValue) : {};
  switch (change.do) {
    case "set":
      return with_(change.value);
    case "remove":
      return with_(undefined);
    case "list":
      return with_(change.items.length === 0 ? undefined : change.items);
    case "add-item":
      return list.includes(change.item) ? value : with_([...list, change.item]);
    case "remove-item":
      return list.includes(change.item) ? with_(orNothing(list.filter((item) => item !== change.item))) : value;
    case "set-entry":
      return with_({ ...map, [change.entry]: change.value });
    case "remove-entry": {
      const { [change.entry]: gone, ...left } = map;
      if (gone === undefined) return value;
      return with_(Object.keys(left).length === 0 ? undefined : left);
    }
    case "put-record": {
      const at = list.findIndex((item) => unitOf(item) === change.record.unit);
      return with_(at === -1 ? [...list, change.record] : list.with(at, change.record));
    }
    case "remove-record": {
      const at = list.findIndex((item) => unitOf(item) === change.unit);
      return at === -1 ? value : with_(orNothing(list.toSpliced(at, 1)));
    }
  }
}

function unitOf(item: YamlValue): YamlValue | undefined {
  return typeof item === "object" && !Array.isArray(item) ? (item as NodeValue).unit : undefined;
}

function orNothing(list: readonly YamlValue[]): readonly YamlValue[] | undefined {
  return list.length === 0 ? undefined : list;
}

function applyOne(text: string, change: NodeChange): NewText {
  const { key } = change;
  switch (change.do) {
    case "set":
      return setScalar(text, key, change.value, NODE_KEY_ORDER);
    case "remove":
      return removeKey(text, key);
    case "list":
      return change.items.length === 0 ? removeKey(text, key) : setList(text, key, change.items, NODE_KEY_ORDER);
    case "add-item":
      return addItem(text, key, change.item, NODE_KEY_ORDER);
    case "remove-item":
      return removeFrom(text, key, change.item);
    case "set-entry":
      return setEntry(text, key, change.entry, change.value, NODE_KEY_ORDER);
    case "remove-entry":
      return removeFrom(text, key, change.entry);
    case "put-record":
      return putRecord(text, { key, id: "unit" }, change.record, NODE_KEY_ORDER);
    case "remove-record":
      return removeRecord(text, { key, id: "unit" }, change.unit);
  }
}
