/** What is longer stands out of its column, so that one long path does not push the reasons of all others off the screen. */
const WIDEST = 60;

/** Rows as left-aligned columns two spaces apart, the last one ragged. Cells are measured in code points. */
export function columns(rows: readonly (readonly string[])[], indent = ""): string[] {
  const widths = columnWidths(rows);
  return rows.map((row) => {
    const cells = row.map((cell, index) =>
      index === row.length - 1 ? cell : cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - length(cell))),
    );
    return `${indent}${cells.join("  ")}`.trimEnd();
  });
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, Math.min(length(cell), WIDEST));
    });
  }
  return widths;
}

/** Code points. */
export function length(cell: string): number {
  return [...cell].length;
}
