import type { ChangeRequest, NodeEffect, Step } from "../model/node-effect.ts";
import { KILL_AFTER_SECONDS, WORDS_KEPT } from "./library.ts";
import { ownedFunctions } from "./owned-record.ts";

/** Progress lines of one run; so few that they fit into a socket's buffer and never block the runner. */
const PROGRESS_LINES = 250;

/** How many run folders are let grow, and how many are left then. */
const RUNS_AT_MOST = 12;
const RUNS_KEPT = 4;

/** How one effect becomes the lines of a function's body (block.ts). */
export type RenderEffect = (effect: NodeEffect) => string;

/**
 * `rc_perform`: runs the steps in order and prints what became of them, as outcome-file.ts describes, to stdout and to the
 * run's outcome file. It lives through the death of the connection and of the session: SIGHUP and SIGPIPE are caught and
 * do nothing (not ignored, which children would inherit), and what it prints it may fail to print. It holds the node's
 * lock (descriptor 9) and the channel (3); no step inherits either, so that a daemon that a step starts holds up nobody.
 * Around the steps it writes the record of what is rollcall's on the node (owned-record.ts).
 */
export function renderRunner(request: ChangeRequest, renderEffect: RenderEffect): string {
  const roles = [...new Set(request.steps.flatMap((step) => [step.role, ...step.needs]))];
  const every = stepsPerProgress(request);
  return `${RECORD}
${words(request.confidential === true)}
${STEP}
${PRUNE}
${ownedFunctions(request.owned)}
${request.steps.map((step, index) => stepFunctions(step, index, renderEffect)).join("\n")}
rc_perform() {
trap : HUP PIPE
rc_home=$rc_state/runs/$rc_run rc_failed='' rc_lost='' rc_started='' rc_done=' '
mkdir -p -- "$rc_home"
rc_outcome=$rc_home/outcome rc_log=$rc_home/log
printf '' >"$rc_outcome"
rc_record "run $rc_epoch $rc_run"
printf '%s\\n' "$rc_run" >"$rc_state/last.new" && mv -f -- "$rc_state/last.new" "$rc_state/last"
rc_prune
rc_own_before
${request.steps.map((step, index) => stepCall(step, index, roles, index % every === 0)).join("\n")}
rc_own_after
[ -z "$rc_lost" ] || rc_record "fenced $rc_fence"
rc_record ended
printf '' >"$rc_log"
${settle(request.settleMs)}
}`;
}

/** Fractions of a second are not POSIX's. */
function settle(milliseconds: number): string {
  return `[ -z "$rc_started" ] || sleep ${(milliseconds / 1000).toFixed(3)} || sleep ${Math.ceil(milliseconds / 1000)}`;
}

/** Only each so many-th step is told of while the steps run. */
export function stepsPerProgress(request: ChangeRequest): number {
  return Math.ceil(request.steps.length / PROGRESS_LINES);
}

/** Seconds that one step may take at most before its orphan looks at the fence again. */
export function longestStepSeconds(stepTimeoutMs: number): number {
  return 2 * (Math.ceil(stepTimeoutMs / 1000) + KILL_AFTER_SECONDS) + 20;
}

const RECORD = `rc_record() { printf '%s\\n' "$1" >>"$rc_outcome"; printf '%s\\n' "$1"; }`;

/**
 * `rc_words`: a failing tool's last words, recorded for the next connection too; where they may hold a secret they are only
 * printed, for the controller to mask. It stands in a pipe and so has a shell of its own, which has to catch SIGPIPE itself.
 */
function words(confidential: boolean): string {
  const say = confidential ? "printf 'log %s\\n' \"$rc_line\"" : 'rc_record "log $rc_line"';
  return `rc_words() { trap : PIPE; while IFS= read -r rc_line || [ -n "$rc_line" ]; do ${say}; done; }`;
}

/**
 * `rc_step INDEX ROLE FLAGS NEED…`; flags: p prints progress, u starts a unit. The body runs in a shell of its own that
 * answers `STATUS CODE DETAIL`; when the body ends that shell, there is no answer and its exit status counts.
 */
const STEP = `rc_step() {
rc_index=$1 rc_role=$2 rc_flags=$3 rc_why=''
shift 3
for rc_need; do
case " $rc_failed " in *" $rc_need "*) rc_why=blocked ;; esac
done
if [ -z "$rc_lost" ]; then
rc_read_fence
[ "$rc_fence" = "$rc_epoch $rc_run" ] || rc_lost=yes
fi
[ -z "$rc_lost" ] || rc_why=fenced
if [ -n "$rc_why" ]; then rc_record "end $rc_index skipped $rc_why"; return; fi
rc_record "start $rc_index"
case $rc_flags in *p*) printf '\\n%s step %s\\n' "$rc_mark" "$rc_index" >&3 ;; esac
case $rc_flags in *u*) rc_started=yes ;; esac
printf '' >"$rc_log" || rc_log=/dev/null
rc_said=$(
exec 3>&- 9>&-
rc_code='' rc_detail=''
"rc_step_$rc_index" >>"$rc_log" 2>&1
printf '%s %s %s' "$?" "\${rc_code:--}" "$rc_detail"
)
rc_left=$?
[ -n "$rc_said" ] || rc_said="$rc_left - "
rc_status=\${rc_said%% *} rc_said=\${rc_said#* }
rc_code=\${rc_said%% *} rc_detail=\${rc_said#* }
if [ "$rc_status" = 0 ]; then rc_done="$rc_done$rc_index " && rc_record "end $rc_index done"; return; fi
rc_failed="$rc_failed $rc_role"
rc_record "end $rc_index failed $rc_status $rc_code"
if [ -n "$rc_detail" ]; then printf '%s\\n' "$rc_detail"; else tail -c ${WORDS_KEPT} "$rc_log"; fi | rc_words
}`;

/** Leaves the newest run folders; nothing is started as long as there are few. */
const PRUNE = `rc_prune() {
set -- "$rc_state"/runs/*
[ $# -gt ${RUNS_AT_MOST} ] || return 0
set -- $(ls -1t "$rc_state/runs")
shift ${RUNS_KEPT}
for rc_old; do
shift
[ "$rc_old" = "$rc_run" ] || set -- "$@" "$rc_state/runs/$rc_old"
done
rm -rf -- "$@"
}`;

function stepFunctions(step: Step, index: number, renderEffect: RenderEffect): string {
  const bodies = step.effects.map((effect, part) => `rc_effect_${index}_${part}() {\n${renderEffect(effect)}\n}\n`);
  const calls = step.effects.map((_effect, part) => `rc_effect_${index}_${part}`);
  return `${bodies.join("")}rc_step_${index}() { ${calls.length === 0 ? "true" : calls.join(" && ")}; }`;
}

function stepCall(step: Step, index: number, roles: readonly string[], progress: boolean): string {
  const starts = step.effects.some((effect) => effect.do === "start-unit" || effect.do === "restart-unit");
  const flags = `-${progress ? "p" : ""}${starts ? "u" : ""}`;
  const needs = step.needs.map((role) => roles.indexOf(role));
  return ["rc_step", index, roles.indexOf(step.role), flags, ...needs].join(" ");
}
