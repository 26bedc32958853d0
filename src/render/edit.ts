import type { FileWrite } from "../ports.ts";
import type { Paint } from "./paint.ts";

/** What an edit did: the number it left, and the files it wrote or removed. */
export function renderEdit(generation: number | null, writes: readonly FileWrite[], paint: Paint): string {
  if (writes.length === 0) return `nothing to change; generation ${generation}\n`;
  const lines = writes.map(
    ({ path, text }) => `  ${text === null ? paint.red("removed") : paint.green("wrote")} ${path}`,
  );
  return [`generation ${paint.bold(String(generation))}`, ...lines, ""].join("\n");
}
