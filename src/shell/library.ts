/** Seconds that a program has between SIGTERM and SIGKILL when its time is over. */
export const KILL_AFTER_SECONDS = 10;

/** Bytes of a failed step's log that are kept and shown. */
export const WORDS_KEPT = 2000;

/** `rc_store FILE TEXT`: one line into a file under `$rc_state`, atomically, on the disk when it returns 0. */
const STORE = `rc_store() {
rc_to=$rc_state/$1
[ -d "\${rc_to%/*}" ] || mkdir -p -- "\${rc_to%/*}" || return 1
printf '%s\\n' "$2" >"$rc_to.new" && sync "$rc_to.new" && mv -f -- "$rc_to.new" "$rc_to" && sync "\${rc_to%/*}"
}`;

/**
 * `rc_timed` and `rc_fail` of block.ts. `timeout` ends itself with 137 when SIGTERM was not enough, which is also how a
 * program looks that somebody else killed, and a program may exit 124 by itself: the clock tells (where /proc has one).
 */
const TIMED = `rc_clock() { rc_now=; { read -r rc_now rc_rest </proc/uptime; } 2>/dev/null; rc_now=\${rc_now%%.*}; }
rc_timed() {
rc_clock
rc_since=$rc_now
timeout -k ${KILL_AFTER_SECONDS} "$rc_timeout" "$@"
rc_left=$?
case $rc_left in 124 | 137) ;; *) return "$rc_left" ;; esac
rc_clock
if [ -n "$rc_now" ]; then
if [ $((rc_now - rc_since)) -lt "$rc_timeout" ]; then return "$rc_left"; fi
elif [ "$rc_left" = 137 ]; then return 137
fi
rc_fail step-timeout "still running after $rc_timeout seconds: $1"
return 124
}
rc_fail() {
[ "$rc_code" = step-timeout ] || { rc_code=$1 rc_detail=\${2-}; }
return 1
}`;

/** What block.ts promises to the bodies of effects; `timeoutSeconds` is how long one program may run. */
export function effectLibrary(timeoutSeconds: number): string {
  return `rc_timeout=${timeoutSeconds}\n${STORE}\n${TIMED}`;
}
