import type { Paint } from "../render/paint.ts";
import { visible } from "../render/visible.ts";

/** What a verb answers: one document for `--json`, one text for people, one exit code (DESIGN §5). */
export interface CommandResult {
  readonly exitCode: number;
  readonly document: unknown;
  readonly text: (paint: Paint) => string;
}

/** Something asked for that cannot be done as asked: one line, a stable code, and what to do next. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export const EXIT = { ok: 0, failed: 1, refused: 2, untold: 3, notObserved: 4, usage: 64, internal: 70 } as const;

export function refused(refusal: Refusal, exitCode: number): CommandResult {
  return {
    exitCode,
    document: { ok: false, error: refusal },
    text: (paint) =>
      `${paint.red("error")} ${refusal.code}: ${shown(refusal.message)}\n  ${paint.dim(shown(refusal.hint))}\n`,
  };
}

/** What a remote's hook or a lock's record said stands in refusals too; only line breaks of theirs stay. */
function shown(text: string): string {
  return text.split("\n").map(visible).join("\n");
}
