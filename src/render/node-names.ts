import { compareText } from "../kit/compare-text.ts";

/** Names in one line before the rest is only counted. */
const MOST_PARTS = 6;
/** So many in a row are written as their ends. */
const RUN = 4;

/**
 * Node names on one line: runs of numbered ones as their ends, `web-01 … web-12`, and what does not fit as a number, `and 40
 * more`. What stands between two ends is all there: a name that is missing splits the run.
 */
export function nodeNames(names: readonly string[]): string {
  const runs = runsOf(names);
  const parts = runs.flatMap((run) => (run.length >= RUN ? [`${run[0]} … ${run.at(-1)}`] : run));
  if (parts.length <= MOST_PARTS) return parts.join(" ");
  const shown = parts.slice(0, MOST_PARTS - 1);
  const told = runs.flatMap((run) => (run.length >= RUN ? [run.length] : run.map(() => 1)));
  const left = names.length - told.slice(0, MOST_PARTS - 1).reduce((sum, count) => sum + count, 0);
  return `${shown.join(" ")} and ${left} more`;
}

/** In the order of their numbers, next to their like. */
function runsOf(names: readonly string[]): string[][] {
  const runs: string[][] = [];
  let before: Numbered | null = null;
  for (const one of names.map(numbered).sort(compare)) {
    if (before !== null && follows(before, one)) runs.at(-1)?.push(one.name);
    else runs.push([one.name]);
    before = one;
  }
  return runs;
}

interface Numbered {
  readonly name: string;
  readonly before: string;
  /** null: there is none, or one that no number can hold. */
  readonly number: number | null;
  readonly width: number;
  readonly after: string;
}

function numbered(name: string): Numbered {
  const [, before = name, digits = "", after = ""] = /^(.*?)(\d{1,15})(\D*)$/.exec(name) ?? [];
  return { name, before, number: digits === "" ? null : Number(digits), width: digits.length, after };
}

function follows(a: Numbered, b: Numbered): boolean {
  if (a.number === null || b.number !== a.number + 1 || a.before !== b.before || a.after !== b.after) return false;
  // web-9 is followed by web-10, web-09 too, but web-009 by web-010 alone.
  return a.width === b.width || (b.width === a.width + 1 && String(a.number).length === a.width);
}

function compare(a: Numbered, b: Numbered): number {
  const text = compareText(a.before, b.before) || compareText(a.after, b.after);
  return text || (a.number ?? -1) - (b.number ?? -1) || compareText(a.name, b.name);
}
