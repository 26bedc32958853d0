import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** A named, reasoned bypass of one gate (DESIGN §2): printed loudly wherever it is spoken of. */
export interface Escape {
  readonly gate: string;
  readonly reason: string;
}

export function escapeLines(escapes: readonly Escape[], paint: Paint): string {
  const lines = escapes.map(({ gate, reason }) => `${paint.red(paint.bold(`ESCAPE ${gate}`))}: "${visible(reason)}"\n`);
  return lines.join("");
}
