import { isCollection, isMap, isPair, isScalar, type Node, parseDocument } from "yaml";
import { COMPOSE_OPTIONS } from "./compose.ts";

export type YamlPath = readonly (string | number)[];

/** 1-based; columns count UTF-16 units, as editors and GitHub annotations do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds lines and columns of offsets. The line table is built at the first question: most files are never asked. */
export function placeFinder(text: string): (offset: number) => Place {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/**
 * Finds the offset of a key or a value by its path; of what is not there, the nearest thing above it. The text is parsed
 * again at the first question, so that files without findings keep no tree.
 */
export function offsetFinder(text: string): (path: YamlPath, part: "key" | "value") => number {
  let root: Node | null | undefined;
  return (path, part) => {
    root ??= parseDocument(text, COMPOSE_OPTIONS).contents;
    let node: unknown = root;
    let offset = startOf(node) ?? 0;
    for (const [index, step] of path.entries()) {
      const next = stepInto(node, step);
      if (next === undefined) return offset;
      const wantsKey = part === "key" && index === path.length - 1;
      offset = startOf(wantsKey ? next.key : next.value) ?? startOf(next.key) ?? offset;
      node = next.value;
    }
    return offset;
  };
}

function stepInto(node: unknown, step: string | number): { key: unknown; value: unknown } | undefined {
  if (!isCollection(node)) return undefined;
  if (!isMap(node)) {
    const item = typeof step === "number" ? node.items[step] : undefined;
    return item === undefined ? undefined : { key: item, value: item };
  }
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === String(step));
  return pair === undefined ? undefined : { key: pair.key, value: pair.value };
}

function startOf(node: unknown): number | undefined {
  return typeof node === "object" && node !== null && "range" in node
    ? (node.range as [number, number, number] | null)?.[0]
    : undefined;
}

/**
 * The path of the innermost pair or item around an offset. What begins exactly there is inside when `beginning` says so:
 * an alias is its own item, but a syntax error at the start of a value is about the key before it.
 */
export function pathAt(root: unknown, offset: number, beginning: "inside" | "outside"): YamlPath {
  const path: (string | number)[] = [];
  const last = beginning === "inside" ? offset : offset - 1;
  let node: unknown = root;
  while (isCollection(node)) {
    const items: readonly unknown[] = node.items;
    const index = items.findLastIndex((item) => (startOf(isPair(item) ? item.key : item) ?? Infinity) <= last);
    const item = items[index];
    if (index === -1 || endOf(item) < offset) break;
    if (isPair(item)) path.push(isScalar(item.key) ? String(item.key.value) : "");
    else path.push(index);
    node = isPair(item) ? item.value : item;
  }
  return path;
}

function endOf(item: unknown): number {
  const node = isPair(item) ? (item.value ?? item.key) : item;
  return (node as { range?: [number, number, number] } | null)?.range?.[2] ?? Infinity;
}
