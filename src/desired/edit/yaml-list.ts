import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import { COMPOSE_OPTIONS } from "../yaml/compose.ts";
import { addItem, type NewText, removeFrom, replaceList } from "./yaml-text.ts";

/** A list under the root: what stays in order stays where it is, so that the comments beside it do too. */
export function setList(text: string, key: string, wanted: readonly string[], order: readonly string[]): NewText {
  const old = listAt(text, key);
  const left = old?.filter((item) => wanted.includes(item)) ?? [];
  const kept = left.length > 0 && left.every((item, index) => wanted[index] === item);
  if (!kept) return replaceList(text, key, wanted, order);
  const gone = (old ?? []).filter((item) => !wanted.includes(item));
  const shorter = gone.reduce<NewText>((sofar, item) => (sofar === null ? null : removeFrom(sofar, key, item)), text);
  const added = wanted.slice(left.length);
  return added.reduce<NewText>((sofar, item) => (sofar === null ? null : addItem(sofar, key, item, order)), shorter);
}

function listAt(text: string, key: string): readonly string[] | undefined {
  const { contents } = parseDocument(text, COMPOSE_OPTIONS);
  const list = isMap(contents) ? contents.get(key) : undefined;
  return isSeq(list) ? list.items.map((item) => (isScalar(item) ? String(item.value) : "")) : undefined;
}
