import type { NodeFence } from "../model/node-facts.ts";
import { quote } from "./quote.ts";
import { RUN_ID } from "./state-folder.ts";

/**
 * The fence (DESIGN §7): the newest run that claimed the node, so that an orphan of a killed controller, or an older run,
 * finds that the node is no longer its own. It is compared and swapped under a short lock before a run does anything.
 */

/** `rc_read_fence`: sets `rc_fence` to `EPOCH RUN`, or to nothing when no run has claimed the node. */
export const READ_FENCE = `rc_read_fence() {
rc_fence='' rc_fence_epoch='' rc_fence_run=''
{ read -r rc_fence_epoch rc_fence_run <"$rc_state/fence"; } 2>/dev/null
case $rc_fence_epoch in '' | 0?* | *[!0-9]* | ????????????????*) return ;; esac
case $rc_fence_run in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) return ;; esac
[ \${#rc_fence_run} -le 100 ] || return
rc_fence="$rc_fence_epoch $rc_fence_run"
}`;

/**
 * Sets `rc_claim` to `claimed` and writes the fence, or to why not: `stale` (the node changed hands since the steps were
 * decided), `fenced` (by an epoch that is not below ours), `busy` or `unwritable`. Needs `rc_store`.
 */
export function claimFence(own: NodeFence, seen: NodeFence | null): string {
  return `rc_run=${fenceWord(own)} rc_epoch=${own.epoch}
rc_seen=${seen === null ? "''" : quote(`${seen.epoch} ${fenceWord(seen)}`)}
rc_claim=$(
exec 8>>"$rc_state/fence-lock" || exit
flock -n 8 || timeout 20 flock 8 || { echo busy; exit; }
rc_read_fence
if [ "$rc_fence" != "$rc_seen" ]; then echo stale
elif [ -n "$rc_fence" ] && [ "$rc_fence_run" != "$rc_run" ] && [ "$rc_epoch" -le "$rc_fence_epoch" ]; then echo fenced
elif rc_store fence "$rc_epoch $rc_run"; then echo claimed
fi
)
rc_claim=\${rc_claim:-unwritable}`;
}

/** Reads `EPOCH RUN`; null when it is not a fence. */
export function parseFence(words: string): NodeFence | null {
  const [, epoch, runId] = /^(0|[1-9]\d{0,14}) (\S+)$/.exec(words) ?? [];
  if (epoch === undefined || runId === undefined || !RUN_ID.test(runId)) return null;
  return { epoch: Number(epoch), runId };
}

function fenceWord(fence: NodeFence): string {
  if (!RUN_ID.test(fence.runId)) throw new Error(`not a run id: ${fence.runId}`);
  if (!Number.isSafeInteger(fence.epoch) || fence.epoch < 0) throw new Error(`not an epoch: ${fence.epoch}`);
  return fence.runId;
}
