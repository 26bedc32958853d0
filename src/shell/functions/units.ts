/**
 * What the effects on units share. `rc_my_systemctl USER VERB …` speaks to the system's manager, or with a USER to that
 * user's own, for which its runtime folder must be named since nobody has logged in (cases.md 16). Names stand behind `--`:
 * `-.mount` is one (cases.md 14).
 */
export const UNIT_FUNCTIONS = `rc_my_manager() {
if [ -z "$1" ]; then
[ -d /run/systemd/system ] || { rc_fail manager-unreachable "systemd is not running here"; return 1; }
rc_my_manage() { "$rc_my_how" systemctl --no-ask-password --no-pager "$@"; }
return 0
fi
rc_my_uid=$(id -u "$1") && rc_my_gid=$(id -g "$1") || { rc_fail manager-unreachable "there is no user $1"; return 1; }
if [ ! -S "/run/user/$rc_my_uid/systemd/private" ]; then
rc_fail manager-unreachable "the service manager of $1 is not running: loginctl enable-linger $1"
return 1
fi
rc_my_manage() {
"$rc_my_how" setpriv "--reuid=$rc_my_uid" "--regid=$rc_my_gid" --init-groups \\
env "XDG_RUNTIME_DIR=/run/user/$rc_my_uid" systemctl --user --no-ask-password --no-pager "$@"
}
}
rc_my_systemctl() { rc_my_how=rc_timed; rc_my_manage "$@"; }
rc_my_briefly() { timeout 20 "$@"; }
rc_my_ask() { rc_my_how=rc_my_briefly; rc_my_manage "$@"; }
rc_my_blame_unit() {
case $(rc_my_ask show -p LoadState -- "$1" 2>/dev/null) in
LoadState=masked) rc_fail unit-masked "$1 is masked" ;;
*) rc_my_ask status --lines=5 -- "$1"; rc_fail unit-failed ;;
esac
return 1
}
rc_my_run() {
rc_my_manager "$1" || return 1
rc_my_ask reset-failed -- "$3" >/dev/null 2>&1
rc_my_systemctl "$2" -- "$3" || rc_my_blame_unit "$3"
}
rc_my_stop() {
rc_my_manager "$1" || return 1
rc_my_systemctl stop -- "$2" && return 0
case $(rc_my_ask show -p ActiveState -- "$2" 2>/dev/null) in ActiveState=inactive | ActiveState=failed) return 0 ;; esac
rc_my_blame_unit "$2"
}
rc_my_own_name() {
rc_my_id=$(rc_my_ask show -p Id -- "$1" 2>/dev/null)
rc_my_id=\${rc_my_id#Id=}
[ -n "$rc_my_id" ] || rc_my_id=$1
}
rc_my_enable() {
rc_my_manager "$1" || return 1
rc_my_own_name "$2"
rc_my_systemctl enable -- "$rc_my_id" || rc_my_blame_unit "$rc_my_id"
}
rc_my_disable() {
rc_my_manager "$1" || return 1
rc_my_own_name "$2"
case $(rc_my_ask show -p LoadState -- "$rc_my_id" 2>/dev/null) in LoadState=not-found) return 0 ;; esac
rc_my_systemctl disable -- "$rc_my_id" || { rc_my_blame_unit "$rc_my_id"; return 1; }
case $(rc_my_ask is-enabled -- "$rc_my_id" 2>/dev/null) in enabled-runtime) ;; *) return 0 ;; esac
rc_my_systemctl disable --runtime -- "$rc_my_id" || rc_my_blame_unit "$rc_my_id"
}
rc_my_reload() {
rc_my_manager "$1" || return 1
rc_my_systemctl daemon-reload || rc_fail unit-failed
}`;
