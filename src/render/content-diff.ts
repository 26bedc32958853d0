import type { ContentComparison } from "../model/content-diff.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** Lines of one diff on a terminal; the document has all of them. */
const MOST_LINES = 400;

/**
 * A comparison for people, a line each. Every line of a diff stands behind a bar, since what a node wrote must not be taken
 * for a line of ours, nor for a command to a CI runner, which reads `::` at the start of a line.
 */
export function contentLines(comparison: ContentComparison, paint: Paint): readonly string[] {
  const bar = paint.dim("│");
  if (comparison.status !== "text") return [`${bar} ${paint.dim(visible(contentSentence(comparison)))}`];
  const lines = comparison.diff.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MOST_LINES).map((line) => `${bar} ${painted(line, paint)}`);
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `${bar} ${paint.dim(`… ${more} more lines; --json has them all`)}`];
}

/** Of a comparison without a diff. */
export function contentSentence(comparison: Exclude<ContentComparison, { status: "text" }>): string {
  switch (comparison.status) {
    case "binary":
      return `binary, ${change(comparison)}`;
    case "too-large":
      return `too large to be shown, ${change(comparison)}`;
    case "rewritten":
      return `too much differs to be shown, ${comparison.from_lines} lines → ${comparison.to_lines} lines`;
    case "withheld":
      return `content not shown: ${comparison.message}`;
    case "unread":
      return `content not read: ${comparison.message}`;
  }
}

function change(sizes: { readonly from_bytes: number | null; readonly to_bytes: number | null }): string {
  return `${size(sizes.from_bytes)} → ${size(sizes.to_bytes)}`;
}

function size(bytes: number | null): string {
  return bytes === null ? "nothing" : `${bytes} bytes`;
}

function painted(line: string, paint: Paint): string {
  // A tab moves no cursor back, and what is indented with it should look so.
  const safe = line.split("\t").map(visible).join("\t");
  if (line.startsWith("@@")) return paint.cyan(safe);
  if (line.startsWith("--- ") || line.startsWith("+++ ")) return paint.bold(safe);
  if (line.startsWith("+")) return paint.green(safe);
  return line.startsWith("-") ? paint.red(safe) : safe;
}
