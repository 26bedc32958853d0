import type { FileWrite } from "../ports.ts";
import { renderEdit } from "./edit.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

export interface PreparedRevert {
  readonly generation: number | null;
  readonly writes: readonly FileWrite[];
  /** One line: what goes back to where. */
  readonly why: string;
  /** What to do next, in order. */
  readonly next: readonly string[];
}

export function renderRevert({ generation, writes, why, next }: PreparedRevert, paint: Paint): string {
  const edit = renderEdit(generation, writes, paint);
  const lines = next.length === 0 ? [] : ["next:", ...next.map((line) => `  ${paint.cyan(line)}`), ""];
  return `${visible(why)}\n${edit}${lines.join("\n")}`;
}
