{ main() {
exec </dev/null
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
unset ENV BASH_ENV CDPATH GLOBIGNORE IFS LANGUAGE TMPDIR
umask 022
cd /
rc_state=/var/lib/rollcall
rc_mark=0011223344556677''8899aabbccddeeff
rc_section() { printf '\n%s section %s\n' "$rc_mark" "$1"; }
rc_end() { printf '\n%s end %s\n' "$rc_mark" "$1"; exit "$1"; }
printf '\n%s begin\n' "$rc_mark"
rc_read_fence() {
rc_fence='' rc_fence_epoch='' rc_fence_run=''
{ read -r rc_fence_epoch rc_fence_run <"$rc_state/fence"; } 2>/dev/null
case $rc_fence_epoch in '' | 0?* | *[!0-9]* | ????????????????*) return ;; esac
case $rc_fence_run in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) return ;; esac
[ ${#rc_fence_run} -le 100 ] || return
rc_fence="$rc_fence_epoch $rc_fence_run"
}
rc_read_progress() {
rc_progress='' rc_lines=0
{ read -r rc_last <"$rc_state/last"; } 2>/dev/null || return 0
[ -r "$rc_state/runs/$rc_last/outcome" ] || return 0
while read -r rc_word rc_rest; do
case $rc_word in
run) rc_progress=$rc_rest ;;
start | end | ended) rc_lines=$((rc_lines + 1)) ;;
esac
done <"$rc_state/runs/$rc_last/outcome"
[ -z "$rc_progress" ] || rc_progress="$rc_progress $rc_lines"
}
rc_timeout=20
rc_store() {
rc_to=$rc_state/$1
[ -d "${rc_to%/*}" ] || mkdir -p -- "${rc_to%/*}" || return 1
printf '%s\n' "$2" >"$rc_to.new" && sync "$rc_to.new" && mv -f -- "$rc_to.new" "$rc_to" && sync "${rc_to%/*}"
}
rc_clock() { rc_now=; { read -r rc_now rc_rest </proc/uptime; } 2>/dev/null; rc_now=${rc_now%%.*}; }
rc_timed() {
rc_clock
rc_since=$rc_now
timeout -k 10 "$rc_timeout" "$@"
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
[ "$rc_code" = step-timeout ] || { rc_code=$1 rc_detail=${2-}; }
return 1
}
rc_record() { printf '%s\n' "$1" >>"$rc_outcome"; printf '%s\n' "$1"; }
rc_words() { trap : PIPE; while IFS= read -r rc_line || [ -n "$rc_line" ]; do rc_record "log $rc_line"; done; }
rc_step() {
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
case $rc_flags in *p*) printf '\n%s step %s\n' "$rc_mark" "$rc_index" >&3 ;; esac
case $rc_flags in *u*) rc_started=yes ;; esac
printf '' >"$rc_log" || rc_log=/dev/null
rc_said=$(
exec 3>&- 9>&-
rc_code='' rc_detail=''
"rc_step_$rc_index" >>"$rc_log" 2>&1
printf '%s %s %s' "$?" "${rc_code:--}" "$rc_detail"
)
rc_left=$?
[ -n "$rc_said" ] || rc_said="$rc_left - "
rc_status=${rc_said%% *} rc_said=${rc_said#* }
rc_code=${rc_said%% *} rc_detail=${rc_said#* }
if [ "$rc_status" = 0 ]; then rc_done="$rc_done$rc_index " && rc_record "end $rc_index done"; return; fi
rc_failed="$rc_failed $rc_role"
rc_record "end $rc_index failed $rc_status $rc_code"
if [ -n "$rc_detail" ]; then printf '%s\n' "$rc_detail"; else tail -c 2000 "$rc_log"; fi | rc_words
}
rc_prune() {
set -- "$rc_state"/runs/*
[ $# -gt 12 ] || return 0
set -- $(ls -1t "$rc_state/runs")
shift 4
for rc_old; do
shift
[ "$rc_old" = "$rc_run" ] || set -- "$@" "$rc_state/runs/$rc_old"
done
rm -rf -- "$@"
}
rc_own_before() { :; }
rc_own_after() { :; }
rc_effect_0_0() {
rc_timed /bin/sh -c 'echo it'\''s'
}
rc_step_0() { rc_effect_0_0; }
rc_effect_1_0() {
rc_timed /bin/sh -c true
}
rc_step_1() { rc_effect_1_0; }
rc_perform() {
trap : HUP PIPE
rc_home=$rc_state/runs/$rc_run rc_failed='' rc_lost='' rc_started='' rc_done=' '
mkdir -p -- "$rc_home"
rc_outcome=$rc_home/outcome rc_log=$rc_home/log
printf '' >"$rc_outcome"
rc_record "run $rc_epoch $rc_run"
printf '%s\n' "$rc_run" >"$rc_state/last.new" && mv -f -- "$rc_state/last.new" "$rc_state/last"
rc_prune
rc_own_before
rc_step 0 0 -p 0
rc_step 1 1 -p 1 0
rc_own_after
[ -z "$rc_lost" ] || rc_record "fenced $rc_fence"
rc_record ended
printf '' >"$rc_log"
[ -z "$rc_started" ] || sleep 0.000 || sleep 0
}
rc_observe() {
rc_read_fence() {
rc_fence='' rc_fence_epoch='' rc_fence_run=''
{ read -r rc_fence_epoch rc_fence_run <"$rc_state/fence"; } 2>/dev/null
case $rc_fence_epoch in '' | 0?* | *[!0-9]* | ????????????????*) return ;; esac
case $rc_fence_run in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) return ;; esac
[ ${#rc_fence_run} -le 100 ] || return
rc_fence="$rc_fence_epoch $rc_fence_run"
}
rc_section identity
rc_kernel=''
{ read -r rc_kernel </proc/sys/kernel/ostype; } 2>/dev/null
printf 'kernel %s\n' "${rc_kernel:-$(uname -s)}"
if [ -r /etc/machine-id ]; then
while IFS= read -r rc_line; do printf 'machine-id %s\n' "$rc_line"; done </etc/machine-id
printf 'machine-id-rest %s\n' "$rc_line"
fi
if command -v dpkg-query >/dev/null 2>&1; then echo 'has dpkg'; fi
if [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1; then echo 'has systemd'; fi
rc_read_fence
[ -z "$rc_fence" ] || printf 'fence %s\n' "$rc_fence"
if [ -r "$rc_state/lock" ] && command -v flock >/dev/null 2>&1; then
flock -s -n 9 9<"$rc_state/lock" || [ $? -ne 1 ] || echo busy
fi
rc_section pending
for rc_file in "$rc_state"/pending/*; do
case $rc_file in *.new) continue ;; esac
{ IFS= read -r rc_line <"$rc_file"; } 2>/dev/null && printf '%s\n' "$rc_line"
done
rc_section left-behind
set --
[ ! -r "$rc_state/owned" ] || set -- "$rc_state/owned"
rc_last=''
{ read -r rc_last <"$rc_state/last"; } 2>/dev/null
case $rc_last in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) ;; *)
[ ! -r "$rc_state/runs/$rc_last/outcome" ] || set -- "$@" "$rc_state/runs/$rc_last/outcome"
esac
[ $# -eq 0 ] || cat "$@"
}
rc_leave() { rc_section verdict; printf '%s\n' "$*"; rc_end 0; }
exec 3>&1
rc_missing=''
for rc_program in flock timeout sync mkdir mv rm ls tail sleep; do
command -v "$rc_program" >/dev/null 2>&1 || rc_missing="$rc_missing $rc_program"
done
[ -z "$rc_missing" ] || rc_leave missing "$rc_missing"
[ -d "$rc_state" ] || (umask 077; mkdir -p "$rc_state") || rc_leave unwritable
rc_run=run-2 rc_epoch=8
rc_seen='7 run-1'
rc_claim=$(
exec 8>>"$rc_state/fence-lock" || exit
flock -n 8 || timeout 20 flock 8 || { echo busy; exit; }
rc_read_fence
if [ "$rc_fence" != "$rc_seen" ]; then echo stale
elif [ -n "$rc_fence" ] && [ "$rc_fence_run" != "$rc_run" ] && [ "$rc_epoch" -le "$rc_fence_epoch" ]; then echo fenced
elif rc_store fence "$rc_epoch $rc_run"; then echo claimed
fi
)
rc_claim=${rc_claim:-unwritable}
case $rc_claim in
claimed) ;;
stale) rc_observe; rc_read_fence; rc_leave stale "$rc_fence" ;;
fenced) rc_read_fence; rc_leave fenced "$rc_fence" ;;
*) rc_leave "$rc_claim" ;;
esac
exec 9>>"$rc_state/lock"
rc_stale=''
if ! flock -n 9; then
timeout 80 flock 9 || rc_leave busy
rc_stale=yes
fi
rc_read_progress
[ "$rc_progress" = '' ] || rc_stale=yes
if [ -n "$rc_stale" ]; then
exec 9>&-
rc_observe
rc_leave stale "$rc_seen"
fi
rc_results=$(rc_perform 2>/dev/null)
exec 9>&-
rc_section outcome
printf '%s\n' "$rc_results"
rc_observe
rc_leave ran
rc_end 0
}
main; }
