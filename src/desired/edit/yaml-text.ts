import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { COMPOSE_OPTIONS } from "../yaml/compose.ts";

/**
 * Changes to YAML text by replacing, inserting and removing slices, so that no other byte moves: comments, quotes, key
 * order and blank lines stay. Each function gives the new text, or null where the text is written in a way it cannot
 * keep (a comment inside what would go, a root in braces); nothing is guessed.
 */
export type NewText = string | null;

/** Keys whose values are numbers or truth values to every reader. */
const TYPED = new Set(["enabled", "generation", "port", "version"]);

type Ranged = { range?: [number, number, number] | null };

/** The value of a key of the root map: the key is added behind those that come before it in `order`. */
export function setScalar(text: string, key: string, value: string, order: readonly string[]): NewText {
  const pair = pairOf(rootOf(text), key);
  const written = TYPED.has(key) ? scalar(value) : plain(value);
  return pair === undefined ? insertKey(text, key, written, order) : replaceValue(text, pair, value, written);
}

/** A scalar of a map under the root: `labels.region`. */
export function setEntry(text: string, key: string, entry: string, value: string, order: readonly string[]): NewText {
  const outer = pairOf(rootOf(text), key);
  const written = `${plain(entry)}: ${plain(value)}`;
  if (outer === undefined) return insertKey(text, key, `{ ${written} }`, order);
  if (!isMap(outer.value)) return replaceNode(text, outer, `{ ${written} }`);
  const pair = pairOf(outer.value, entry);
  if (pair !== undefined) return replaceValue(text, pair, value, plain(value));
  return outer.value.flow ? appendToFlow(text, outer.value, written) : appendLine(text, outer.value, written);
}

/** Adds an item to a list under the root. */
export function addItem(text: string, key: string, item: string, order: readonly string[]): NewText {
  const outer = pairOf(rootOf(text), key);
  if (outer === undefined) return insertKey(text, key, `[${plain(item)}]`, order);
  if (!isSeq(outer.value)) return replaceNode(text, outer, `[${plain(item)}]`);
  if (outer.value.items.some((old) => nameOf(old) === item)) return text;
  return outer.value.flow
    ? appendToFlow(text, outer.value, plain(item))
    : appendLine(text, outer.value, `- ${plain(item)}`);
}

/** A whole list anew, in one line: for what is not the old list with items added or removed. */
export function replaceList(text: string, key: string, items: readonly string[], order: readonly string[]): NewText {
  const written = `[${items.map(plain).join(", ")}]`;
  const pair = pairOf(rootOf(text), key);
  if (pair === undefined) return insertKey(text, key, written, order);
  const from = rangeOf(pair.key)?.[1];
  const to = endOf(pair);
  if (from === undefined || to === undefined || text.slice(from, to).includes("#")) return null;
  return `${text.slice(0, from)}: ${written}${text.slice(to)}`;
}

export function removeKey(text: string, key: string): NewText {
  const root = rootOf(text);
  const pair = pairOf(root, key);
  return root === null || pair === undefined ? text : removeLines(text, pair);
}

/** Removes an entry of a map or an item of a list under the root, and the key itself with the last of them. */
export function removeFrom(text: string, key: string, what: string): NewText {
  return removeWhere(text, key, (item) => nameOf(item) === what);
}

/** Removes the first item that fits. */
export function removeWhere(text: string, key: string, fits: (item: unknown) => boolean): NewText {
  const outer = pairOf(rootOf(text), key);
  if (outer === undefined || !isCollection(outer.value)) return text;
  const items: readonly unknown[] = outer.value.items;
  const index = items.findIndex(fits);
  if (index === -1) return text;
  if (items.length === 1) return removeKey(text, key);
  return outer.value.flow ? removeFromFlow(text, items, index) : removeLines(text, items[index]);
}

function nameOf(item: unknown): string | undefined {
  const node = isPair(item) ? item.key : item;
  return isScalar(node) ? String(node.value) : undefined;
}

export function rootOf(text: string): YAMLMap | null {
  const { contents } = parseDocument(text, COMPOSE_OPTIONS);
  return isMap(contents) ? contents : null;
}

export function pairOf(map: YAMLMap | null, key: string): Pair | undefined {
  return map?.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** Text as a scalar that is text to every reader of YAML, in brackets too: quoted where one would see something else. */
export function plain(value: string): string {
  const safe = /^[A-Za-z_/][\w./-]*$/.test(value) || /^\d+(\.\d+){3}$/.test(value);
  const word = /^(y|yes|n|no|on|off|null|true|false)$/i.test(value);
  return safe && !word ? value : JSON.stringify(value);
}

/** A number or a truth value stands as one; whatever else is in its place is for the schema to refuse. */
function scalar(value: string): string {
  return /^([1-9]\d{0,14}|true|false)$/.test(value) ? value : plain(value);
}

/** In the quotes that the old value had. */
export function replaceValue(text: string, pair: Pair, value: string, written: string): NewText {
  const { value: node } = pair;
  if (!isScalar(node)) return replaceNode(text, pair, written);
  if (node.value === value) return text;
  if (node.type === Scalar.QUOTE_SINGLE && !/[\n\r]/.test(value)) {
    return replaceNode(text, pair, `'${value.replaceAll("'", "''")}'`);
  }
  return replaceNode(text, pair, node.type === Scalar.QUOTE_DOUBLE ? JSON.stringify(value) : written);
}

function replaceNode(text: string, pair: Pair, written: string): NewText {
  const range = rangeOf(pair.value);
  if (range === undefined) return null;
  const [from, to] = range;
  const old = text.slice(from, to);
  // A value of several lines may hold comments, and its end takes the line break with it.
  if (old.includes("\n")) return null;
  if (from < to) return text.slice(0, from) + written + text.slice(to);
  // Nothing was there: the colon and a comment need their distance.
  const before = text[from - 1] === ":" ? " " : "";
  const after = text[to] === "#" ? " " : "";
  return text.slice(0, from) + before + written + after + text.slice(to);
}

export function insertKey(text: string, key: string, written: string, order: readonly string[]): NewText {
  const root = rootOf(text);
  if (root === null || root.flow) return null;
  const before = new Set(order.slice(0, order.indexOf(key)));
  const after = root.items.findLast((pair) => before.has(nameOf(pair) ?? "")) ?? root.items.at(-1);
  const start = rangeOf(root.items[0]?.key)?.[0];
  if (after === undefined || start === undefined) return null;
  return insertLine(text, lineEnd(text, after), `${indentAt(text, start)}${key}: ${written}`);
}

export function appendLine(text: string, collection: YAMLMap | YAMLSeq, written: string): NewText {
  const first = collection.items[0];
  const last = collection.items.at(-1);
  const start = rangeOf(isPair(first) ? first.key : collection)?.[0];
  if (last === undefined || start === undefined) return null;
  return insertLine(text, lineEnd(text, last), indentAt(text, start) + written);
}

export function appendToFlow(text: string, collection: YAMLMap | YAMLSeq, written: string): NewText {
  const range = rangeOf(collection);
  const last = collection.items.at(-1);
  if (range === undefined) return null;
  const [from, to] = range;
  if (last === undefined) {
    if (text.slice(from, to).includes("#")) return null;
    const inner = text[from] === "{" ? `{ ${written} }` : `[${written}]`;
    return text.slice(0, from) + inner + text.slice(to);
  }
  const end = endOf(last);
  return end === undefined ? null : `${text.slice(0, end)}, ${written}${text.slice(end)}`;
}

function removeFromFlow(text: string, items: readonly unknown[], index: number): NewText {
  const isLast = index === items.length - 1;
  const from = isLast ? endOf(items[index - 1]) : startOf(items[index]);
  const to = isLast ? endOf(items[index]) : startOf(items[index + 1]);
  if (from === undefined || to === undefined || text.slice(from, to).includes("#")) return null;
  return text.slice(0, from) + text.slice(to);
}

/** The lines of a pair or an item, with the comment at its end; comments above it stay. */
function removeLines(text: string, item: unknown): NewText {
  const start = startOf(item);
  if (start === undefined) return null;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  if (!/^\s*(- )?\s*$/.test(text.slice(lineStart, start))) return null;
  return text.slice(0, lineStart) + text.slice(lineEnd(text, item));
}

function insertLine(text: string, at: number, line: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unended = at > 0 && text[at - 1] !== "\n";
  return unended ? `${text.slice(0, at)}${eol}${line}` : `${text.slice(0, at)}${line}${eol}${text.slice(at)}`;
}

/** Behind the line break of the line on which a pair or an item ends. */
function lineEnd(text: string, item: unknown): number {
  const end = endOf(item) ?? text.length;
  if (end > 0 && text[end - 1] === "\n") return end;
  const at = text.indexOf("\n", end);
  return at === -1 ? text.length : at + 1;
}

function indentAt(text: string, offset: number): string {
  return " ".repeat(offset - (text.lastIndexOf("\n", offset - 1) + 1));
}

function rangeOf(node: unknown): [number, number, number] | undefined {
  return (node as Ranged | null | undefined)?.range ?? undefined;
}

function startOf(item: unknown): number | undefined {
  return rangeOf(isPair(item) ? item.key : item)?.[0];
}

/** Where the last scalar or bracket in a pair or an item ends: a block collection's own end lies lines below. */
function endOf(item: unknown): number | undefined {
  if (isPair(item)) return endOf(item.value ?? item.key);
  const inner: unknown = isCollection(item) && !item.flow ? item.items.at(-1) : undefined;
  return inner === undefined ? rangeOf(item)?.[1] : endOf(inner);
}
