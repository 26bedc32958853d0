import type { EffectBlock } from "../block.ts";
import { pendingFile, pendingLine } from "../pending-record.ts";
import { quote } from "../quote.ts";

/** On the disk before what makes the restart due, so that a killed run never loses it (DESIGN §3.2). */
export const notePending: EffectBlock<"note-pending"> = ({ unit, how, because }) =>
  `rc_store ${quote(pendingFile(unit))} ${quote(pendingLine(unit, { how, because }))} || rc_fail write-failed`;

export const clearPending: EffectBlock<"clear-pending"> = ({ unit }) => {
  const file = `"$rc_state"/${quote(pendingFile(unit))}`;
  return `[ ! -e ${file} ] || { rm -f ${file} && sync "$rc_state/pending"; } || rc_fail write-failed`;
};
