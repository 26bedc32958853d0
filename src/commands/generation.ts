import type { DesiredEditor } from "../ports.ts";
import { runEdit } from "./edit-answer.ts";
import type { CommandResult } from "./result.ts";

export interface BumpOptions {
  /** What the caller believes is current; null to take what is there. */
  readonly generation: number | null;
  /** Make it greater than this as well: the base's number, when that is ahead. */
  readonly above: number | null;
}

/** `generation bump [--generation N] [--above N]`: the number and nothing else; not one other byte moves (DESIGN §3.1). */
export async function runGenerationBump(editor: DesiredEditor, options: BumpOptions): Promise<CommandResult> {
  return runEdit(editor, options, () => ({ writes: [] }));
}
