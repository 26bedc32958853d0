import type { ChangeRequest } from "../model/node-effect.ts";
import type { NodeFence } from "../model/node-facts.ts";
import { claimFence, parseFence, READ_FENCE } from "./fence.ts";
import { effectLibrary } from "./library.ts";
import { parseOutcome, progressOf, READ_PROGRESS, type RunOutcome } from "./outcome-file.ts";
import { quote } from "./quote.ts";
import { longestStepSeconds, type RenderEffect, renderRunner } from "./runner.ts";

/** Sections of a change's answer. */
const VERDICT = "verdict";
const OUTCOME = "outcome";

/** Without these no step is begun. */
const PROGRAMS = ["flock", "timeout", "sync", "mkdir", "mv", "rm", "ls", "tail", "sleep"];

/** What the node says about a change as a whole. */
export type Verdict =
  | { readonly kind: "ran"; readonly outcome: RunOutcome }
  /** Nothing was done; `by` is the run that came in between. */
  | { readonly kind: "stale"; readonly by: NodeFence | null }
  | { readonly kind: "fenced"; readonly by: NodeFence | null }
  | { readonly kind: "busy" }
  | { readonly kind: "missing"; readonly programs: string }
  | { readonly kind: "unwritable" };

/**
 * The part of a change's script that claims the node, waits for whoever is still at work on it, and runs the steps (DESIGN
 * §7). `observation` is the shell of the questions, asked again at the end. Whoever had to wait for another run to stop has
 * stale steps, and so has whoever finds that it has gone on since: they were decided from what that run went on to change.
 */
export function renderChange(request: ChangeRequest, observation: string, renderEffect: RenderEffect): string {
  const seconds = Math.ceil(request.stepTimeoutMs / 1000);
  const { epoch, seen } = request.fence;
  return `${READ_FENCE}
${READ_PROGRESS}
${effectLibrary(seconds)}
${renderRunner(request, renderEffect)}
rc_observe() {
${observation}
}
rc_leave() { rc_section ${VERDICT}; printf '%s\\n' "$*"; rc_end 0; }
exec 3>&1
rc_missing=''
for rc_program in ${PROGRAMS.join(" ")}; do
command -v "$rc_program" >/dev/null 2>&1 || rc_missing="$rc_missing $rc_program"
done
[ -z "$rc_missing" ] || rc_leave missing "$rc_missing"
[ -d "$rc_state" ] || (umask 077; mkdir -p "$rc_state") || rc_leave unwritable
${claimFence({ epoch, runId: request.runId }, seen)}
case $rc_claim in
claimed) ;;
stale) rc_observe; rc_read_fence; rc_leave stale "$rc_fence" ;;
fenced) rc_read_fence; rc_leave fenced "$rc_fence" ;;
*) rc_leave "$rc_claim" ;;
esac
exec 9>>"$rc_state/lock"
rc_stale=''
if ! flock -n 9; then
timeout ${longestStepSeconds(request.stepTimeoutMs)} flock 9 || rc_leave busy
rc_stale=yes
fi
${compareProgress(request)}
if [ -n "$rc_stale" ]; then
exec 9>&-
rc_observe
rc_leave stale "$rc_seen"
fi
rc_results=$(rc_perform 2>/dev/null)
exec 9>&-
rc_section ${OUTCOME}
printf '%s\\n' "$rc_results"
rc_observe
rc_leave ran`;
}

function compareProgress({ fence }: ChangeRequest): string {
  if (fence.lastRun === undefined) return "";
  return `rc_read_progress
[ "$rc_progress" = ${quote(progressOf(fence.lastRun))} ] || rc_stale=yes`;
}

/** Undefined when the section is not there or says nothing known: then nothing is known. */
export function parseVerdict(sections: ReadonlyMap<string, string>): Verdict | undefined {
  const line = (sections.get(VERDICT) ?? "").trim();
  const word = line.split(" ")[0] ?? "";
  const rest = line.slice(word.length).trim();
  switch (word) {
    case "ran":
      return { kind: "ran", outcome: parseOutcome(sections.get(OUTCOME) ?? "") };
    case "stale":
    case "fenced":
      return { kind: word, by: parseFence(rest) };
    case "missing":
      return { kind: word, programs: rest.replaceAll(" ", ", ") };
    case "busy":
    case "unwritable":
      return { kind: word };
    default:
      return undefined;
  }
}
