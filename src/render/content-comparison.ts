import type { ContentComparison } from "../model/content-diff.ts";
import { secretInText } from "../model/secret-in-text.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** The bytes of both sides; null: there is no file. */
export interface ContentSides {
  readonly path: string;
  readonly onNode: Uint8Array | null;
  readonly declared: Uint8Array | null;
}

/** What the two sides are called in a diff. */
export interface SideLabels {
  readonly before: string;
  readonly after: string;
}

const NODE_AND_DECLARED: SideLabels = { before: "on the node", after: "declared" };

/** What may be shown of two contents: a diff of texts, sizes of anything else, and nothing that looks like a secret. */
export function compareContents(
  { path, onNode, declared }: ContentSides,
  labels: SideLabels = NODE_AND_DECLARED,
): ContentComparison {
  const before = textOf(onNode);
  const after = textOf(declared);
  if (before === BINARY || after === BINARY) {
    return { status: "binary", from_bytes: onNode?.length ?? null, to_bytes: declared?.length ?? null };
  }
  const secret = secretSide(before, "on the node") ?? secretSide(after, "as declared");
  if (secret !== null) return { status: "withheld", message: secret };
  const diff = unifiedDiff(path, { text: before, label: labels.before }, { text: after, label: labels.after });
  if (diff === null) return { status: "rewritten", from_lines: lineCount(before), to_lines: lineCount(after) };
  return { status: "text", diff };
}

const BINARY = Symbol("binary");

/** Text is UTF-8 without NUL; null stays null. */
function textOf(bytes: Uint8Array | null): string | null | typeof BINARY {
  if (bytes === null) return null;
  if (bytes.includes(0)) return BINARY;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return BINARY;
  }
}

function secretSide(text: string | null, side: string): string | null {
  const found = text === null ? null : secretInText(text);
  return found === null ? null : `line ${found.line} ${side} looks like a secret: ${found.reason}`;
}

function lineCount(text: string | null): number {
  return text === null || text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
