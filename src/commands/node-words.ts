import { markDown, markUp, type Speaker, sayOfUnit, takeBack, type UnitWord } from "../desired/edit/node-words.ts";
import type { DesiredEditor } from "../ports.ts";
import { runEdit } from "./edit-answer.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";

export interface UnitWordFlags {
  readonly generation: number;
  /** Of a decline. */
  readonly reason?: string;
  /** Of a claim. */
  readonly note?: string;
  /** Takes back what was said. */
  readonly remove: boolean;
}

interface UnitWordEdit extends UnitWordFlags, Speaker {
  readonly name: string;
  readonly unit: string;
}

/** `node decline NODE UNIT --reason …`, `node claim NODE UNIT --note …`; `--remove` takes it back (DESIGN §3, §5). */
export async function runUnitWord(
  editor: DesiredEditor,
  kind: UnitWord["kind"],
  { name, unit, reason = "", note = "", by, at, generation, remove }: UnitWordEdit,
): Promise<CommandResult> {
  const guard = { generation, above: null };
  if (remove) return runEdit(editor, guard, takeBack(name, kind, unit));
  if ((kind === "decline" ? reason : note).trim() === "") return refused(WORDS_MISSING[kind], EXIT.usage);
  const word: UnitWord =
    kind === "decline" ? { kind, unit, reason: reason.trim(), by, at } : { kind, unit, note: note.trim(), by, at };
  return runEdit(editor, guard, sayOfUnit(name, word));
}

interface DownEdit extends Speaker {
  readonly name: string;
  readonly reason: string;
  readonly recheck: string;
  readonly generation: number;
}

/** `node down NODE --reason … [--recheck reachable|LINE]`: said again, it counts from now. */
export async function runNodeDown(editor: DesiredEditor, edit: DownEdit): Promise<CommandResult> {
  const { name, by, at, generation } = edit;
  const [reason, recheck] = [edit.reason.trim(), edit.recheck.trim()];
  if (reason === "" || recheck === "") return refused(reason === "" ? DOWN_REASON : DOWN_RECHECK, EXIT.usage);
  return runEdit(editor, { generation, above: null }, markDown(name, { reason, recheck, by, at }));
}

/** `node up NODE`: the verdict goes; nothing to change when there is none. */
export async function runNodeUp(
  editor: DesiredEditor,
  { name, generation }: { readonly name: string; readonly generation: number },
): Promise<CommandResult> {
  return runEdit(editor, { generation, above: null }, markUp(name));
}

const WORDS_MISSING = {
  decline: {
    code: "reason-missing",
    message: "a decline needs --reason",
    hint: 'say why this node should not have it: --reason "no desktop session"',
  },
  claim: {
    code: "note-missing",
    message: "a claim needs --note",
    hint: 'say what was done and how it was looked at: --note "moved by hand"',
  },
} as const satisfies Record<UnitWord["kind"], Refusal>;

const DOWN_REASON: Refusal = {
  code: "reason-missing",
  message: "--reason is empty",
  hint: 'say why it does not answer: --reason "psu dead"',
};

const DOWN_RECHECK: Refusal = {
  code: "recheck-missing",
  message: "--recheck is empty",
  hint: "write reachable, or a shell line that exits 0 once the node is back; left out it is reachable",
};
