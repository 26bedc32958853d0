import { columnWidths, length } from "./columns.ts";

/** Columns of a terminal that a text for people keeps to where its words allow. */
export const PAGE = 120;

/** What is longer ends in an ellipsis. Code points. */
export function clipped(text: string, width: number): string {
  const letters = [...text];
  return letters.length > width ? `${letters.slice(0, width - 1).join("")}…` : text;
}

/** One text as lines of at most `width` code points, broken between words; a longer word has a line of its own. */
export function broken(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && length(last) + 1 + length(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** As `columns`, but the last cell goes on below itself where the page ends. The lines of each row. */
export function fittedColumns(rows: readonly (readonly string[])[], indent: string): readonly (readonly string[])[] {
  const widths = columnWidths(rows);
  return rows.map((row) => {
    const before = row
      .slice(0, -1)
      .map((cell, index) => cell.padEnd((widths[index] ?? 0) + cell.length - length(cell)));
    const start = [...before, ""].join("  ");
    // Where hardly any room is left, breaking helps nobody.
    const room = Math.max(PAGE - indent.length - length(start), NARROWEST);
    const below = " ".repeat(length(start));
    return broken(row.at(-1) ?? "", room).map((line, index) =>
      `${indent}${index === 0 ? start : below}${line}`.trimEnd(),
    );
  });
}

const NARROWEST = 40;
