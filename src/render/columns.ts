/** Rows as left-aligned columns two spaces apart, the last one ragged. Cells are measured in code points. */
export function columns(rows: readonly (readonly string[])[], indent = ""): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, length(cell));
    });
  }
  return rows.map((row) => {
    const cells = row.map((cell, index) =>
      index === row.length - 1 ? cell : cell + " ".repeat((widths[index] ?? 0) - length(cell)),
    );
    return `${indent}${cells.join("  ")}`.trimEnd();
  });
}

function length(cell: string): number {
  return [...cell].length;
}
