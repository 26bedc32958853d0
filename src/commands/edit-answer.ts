import { type EditGuard, type EditOutcome, guardedEdit, type Wish } from "../desired/edit/guarded-edit.ts";
import type { DesiredEditor, DesiredFiles } from "../ports.ts";
import { renderEdit } from "../render/edit.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import { validity } from "./validate.ts";

/** Runs one editing verb under the editor's lock: 0 done or nothing to do, 1 refused, 2 stale or busy (DESIGN §3.1, §5). */
export async function runEdit(
  editor: DesiredEditor,
  guard: EditGuard,
  wish: (files: DesiredFiles) => Wish,
): Promise<CommandResult> {
  const answer = await editor.exclusively((files) => {
    const result = guardedEdit(files, guard, wish);
    return { writes: result.writes, result };
  });
  if (answer.kind === "busy")
    return refused({ code: "busy", message: answer.message, hint: answer.hint }, EXIT.refused);
  return answerOf(answer.result);
}

function answerOf({ ok, generation, writes, diagnostics }: EditOutcome): CommandResult {
  if (!ok) return validity(generation, diagnostics);
  const changed = writes.map(({ path }) => path);
  return {
    exitCode: EXIT.ok,
    document: { ok, generation, changed, diagnostics },
    text: (paint) => renderEdit(generation, writes, paint),
  };
}
