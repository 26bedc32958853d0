import { formatPatch, structuredPatch } from "diff";

/** Lines on either side of a change. */
const CONTEXT = 3;

/**
 * Lines removed and added together; with more of them nobody reads the diff, and its cost grows with their square
 * (20,000 lines on both sides, none of them the same: 0.4 s).
 */
const MOST_CHANGES = 1000;

/** One side of a comparison; no text: there is no file. */
export interface DiffSide {
  readonly text: string | null;
  /** Stands behind the path in the header: `on the node`. */
  readonly label: string;
}

/** A unified diff as `patch` reads it; null when more lines differ than are worth showing. */
export function unifiedDiff(path: string, before: DiffSide, after: DiffSide): string | null {
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES };
  const name = (side: DiffSide): string => (side.text === null ? "/dev/null" : path);
  const texts = [before.text ?? "", after.text ?? ""] as const;
  const patch = structuredPatch(name(before), name(after), ...texts, before.label, after.label, options);
  if (patch === undefined) return null;
  return formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true });
}
