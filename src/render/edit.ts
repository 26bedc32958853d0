import type { Paint } from "./paint.ts";

/** What an edit did: the number it left, and the files it wrote. */
export function renderEdit(
  { generation, changed }: { readonly generation: number | null; readonly changed: readonly string[] },
  paint: Paint,
): string {
  if (changed.length === 0) return `nothing to change; generation ${generation}\n`;
  return [
    `generation ${paint.bold(String(generation))}`,
    ...changed.map((path) => `  ${paint.green("wrote")} ${path}`),
    "",
  ].join("\n");
}
