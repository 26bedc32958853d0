/**
 * A package may wait, be repaired, and be tried again with fresh lists: all of it together takes no more than two programs
 * may, which is what others wait for who want the node (runner.ts).
 */
const BUDGET = `rc_my_end=''
rc_my_spend() {
rc_clock
[ -n "$rc_now" ] || return 0
[ -n "$rc_my_end" ] || rc_my_end=$((rc_now + 2 * rc_timeout)) rc_my_whole=$rc_timeout
rc_timeout=$((rc_my_end - rc_now))
if [ "$rc_timeout" -gt "$rc_my_whole" ]; then rc_timeout=$rc_my_whole; fi
if [ "$rc_timeout" -lt 1 ]; then rc_timeout=1; fi
}`;

/**
 * What the effects on packages share. apt answers nothing by itself: no terminal, no questions, edited conffiles stay
 * (cases.md 26). Variables are exported here, below any sudo, which would drop them (cases.md 27).
 */
const APT = `rc_my_apt() {
export DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true NEEDRESTART_MODE=l UCF_FORCE_CONFFOLD=1
export APT_LISTCHANGES_FRONTEND=none APT_LISTBUGS_FRONTEND=none
rc_my_spend
rc_my_patience=$((rc_timeout * 2 / 3))
set -- apt-get -q -y -o "DPkg::Lock::Timeout=$rc_my_patience" -o Dpkg::Options::=--force-confdef \\
-o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0 -o APT::Get::AutomaticRemove=false "$@"
case " $* " in *' -s '*) timeout "$rc_timeout" "$@" ;; *) rc_timed "$@" ;; esac
}`;

/**
 * `rc_my_installed NAME VERSION`: is it, in this version when one is given, of the node's own architecture when none is
 * named? `rc_my_there NAME`: is anything of it there beyond configuration files?
 */
const STATE = `rc_my_query() { dpkg-query -W -f='\${Status}|\${Version}|\${Architecture}\\n' "$1" 2>/dev/null; }
rc_my_installed() {
rc_my_native=$(dpkg --print-architecture)
rc_my_query "$1" | {
while IFS='|' read -r rc_my_status rc_my_version rc_my_arch; do
case $rc_my_status in *' ok installed') ;; *) continue ;; esac
case $1 in *:*) ;; *) case $rc_my_arch in all | "$rc_my_native") ;; *) continue ;; esac ;; esac
if [ -z "$2" ] || [ "$2" = "$rc_my_version" ]; then exit 0; fi
done
exit 1
}
}
rc_my_there() {
rc_my_query "$1" | { while IFS='|' read -r rc_my_status rc_my_rest; do
case $rc_my_status in *' not-installed' | *' config-files') ;; *) exit 0 ;; esac
done; exit 1; }
}
rc_my_held() { rc_my_query "$1" | { read -r rc_my_status rc_my_rest && [ "$rc_my_status" = hold ]; }; }`;

/**
 * dpkg's locks are those of fcntl, which no shell tool takes: the kernel's list tells whether somebody has them. Waited
 * for, never removed (cases.md 24). A dpkg that was killed in the middle refuses everything until it is told to finish
 * (cases.md 25).
 */
const LOCKS = `rc_my_locked() {
for rc_my_lock in /var/lib/dpkg/lock-frontend /var/lib/dpkg/lock; do
rc_my_inode=$(stat -c %i "$rc_my_lock" 2>/dev/null) || continue
while read -r rc_my_line; do
case "$rc_my_line " in *":$rc_my_inode "*) return 0 ;; esac
done 2>/dev/null </proc/locks
done
return 1
}
rc_my_interrupted() {
for rc_my_update in /var/lib/dpkg/updates/[0-9]*; do
[ ! -e "$rc_my_update" ] || return 0
done
return 1
}
rc_my_finish() {
rc_my_spend
rc_my_left=$((rc_timeout * 2 / 3))
while rc_my_locked; do
if [ "$rc_my_left" -le 0 ]; then rc_fail dpkg-busy "somebody else is at work with dpkg"; return 1; fi
rc_my_left=$((rc_my_left - 1))
sleep 1
done
rc_my_spend
rc_timed dpkg --force-confdef --force-confold --configure -a
[ $? -ne 124 ]
}`;

/** `rc_my_others VERB NAME`: what else it would remove, or install while removing. */
const PLAN = `rc_my_others() {
rc_my_apt -s "$@" | while read -r rc_my_verb rc_my_name rc_my_rest; do
case $1/$rc_my_verb in
*/Remv) [ "$rc_my_name" = "$2" ] || [ "$rc_my_name" = "$2:$(dpkg --print-architecture)" ] || printf ' %s' "$rc_my_name" ;;
remove/Inst) printf ' +%s' "$rc_my_name" ;;
esac
done
}`;

const INSTALL = `rc_my_spec() { printf '%s' "$1\${2:+=$2}"; }
rc_my_offered() { [ -n "$(apt-cache show --no-all-versions -- "$(rc_my_spec "$@")" 2>/dev/null)" ]; }
rc_my_install() {
rc_my_installed "$1" "$2" && return 0
if [ -n "$3" ] || rc_my_interrupted; then
rc_my_finish || return 1
rc_my_installed "$1" "$2" && return 0
fi
rc_my_get "$@" && return 0
[ -z "$rc_code" ] || return 1
rc_my_blame_apt "$@" && return 1
rc_my_update
rc_my_get "$@" && return 0
[ -z "$rc_code" ] || return 1
rc_my_blame_apt "$@" || rc_my_blame_unknown "$@"
return 1
}
rc_my_get() {
rc_my_apt install --no-remove \${2:+--allow-downgrades} \${3:+--reinstall} "$(rc_my_spec "$1" "$2")"
}
rc_my_update() {
rc_my_spend
timeout -k 10 "$((rc_timeout / 3 + 1))" apt-get -q -y -o "DPkg::Lock::Timeout=$((rc_timeout / 3))" \\
-o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 update
}
rc_my_blame_apt() {
if rc_my_locked; then rc_fail dpkg-busy "somebody else is at work with dpkg, for longer than $rc_my_patience seconds"
elif rc_my_held "$1"; then rc_fail package-held "$1 is on hold, which is left as it is"
elif ! rc_my_offered "$1" "$2"; then return 1
elif rc_my_there "$1" && ! rc_my_installed "$1" ''; then rc_fail package-failed
else
rc_my_more=$(rc_my_others install "$(rc_my_spec "$1" "$2")" 2>/dev/null)
[ -n "$rc_my_more" ] || return 1
rc_fail would-remove-others "installing $1 would remove:$rc_my_more"
fi
return 0
}
rc_my_blame_unknown() {
if rc_my_offered "$1" "$2"; then rc_fail package-failed
elif [ -z "$2" ]; then rc_fail package-unknown "no source of the node offers $1"
else rc_fail package-unknown "no source of the node offers $1 in version $2"
fi
}`;

const REMOVE = `rc_my_remove() {
rc_my_there "$1" || return 0
if rc_my_held "$1"; then rc_fail package-held "$1 is on hold, which is left as it is"; return 1; fi
if rc_my_interrupted; then rc_my_finish || return 1; fi
rc_my_more=$(rc_my_others remove "$1")
if [ -n "$rc_my_more" ]; then
rc_fail would-remove-others "removing $1 would also change:$rc_my_more"
return 1
fi
rc_my_apt remove "$1" && return 0
if rc_my_locked; then rc_fail dpkg-busy "somebody else is at work with dpkg, for longer than $rc_my_patience seconds"
else rc_fail package-failed
fi
}`;

export const PACKAGE_FUNCTIONS = [BUDGET, APT, STATE, LOCKS, PLAN, INSTALL, REMOVE].join("\n");
