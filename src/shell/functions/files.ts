/**
 * What the effects on files share: functions for the library of a changing script. Each names its failure by facts of the
 * node (`lsattr`, the mount's options, `df`, the account files) and never by what a tool said in English. `rc_my_…` names
 * are for the bodies of effects (block.ts). A mode gets a fifth digit, since chmod keeps the set-id bits of a directory, as
 * it inherits them from its folder, unless told by more than four.
 */
export const FILE_FUNCTIONS = `rc_my_in_the_way() {
if [ -L "$1" ]; then rc_fail link-in-the-way "$1 is a link, which is never written through nor replaced"
elif [ -d "$1" ]; then rc_fail directory-in-the-way "$1 is a directory"
elif [ -e "$1" ] && [ ! -f "$1" ]; then rc_fail special-in-the-way "$1 is neither a file nor a directory"
else return 1
fi
return 0
}
rc_my_folder() {
[ -d "$1" ] && return 0
rc_fail parent-missing "$1 is not there, or is no directory"
}
rc_my_fixed() {
rc_my_flags=$(lsattr -d "$1" 2>/dev/null) || return 1
case \${rc_my_flags%% *} in *[ia]*) return 0 ;; esac
return 1
}
rc_my_read_only() {
rc_my_mount=$(df -P "$1" 2>/dev/null | tail -n 1)
rc_my_mount=\${rc_my_mount#*% }
rc_my_options=''
while read -r rc_my_device rc_my_at rc_my_type rc_my_found rc_my_rest; do
[ "$(printf '%b' "$rc_my_at")" != "$rc_my_mount" ] || rc_my_options=$rc_my_found
done 2>/dev/null </proc/self/mounts
case ,$rc_my_options, in *,ro,*) return 0 ;; esac
return 1
}
rc_my_full() {
for rc_my_what in -Pk -Pi; do
rc_my_room=$(df "$rc_my_what" "$1" 2>/dev/null | tail -n 1)
case $rc_my_room in *%*) ;; *) continue ;; esac
rc_my_room=\${rc_my_room%\\%*}
rc_my_room=\${rc_my_room% *}
rc_my_room=\${rc_my_room%"\${rc_my_room##*[0-9]}"}
rc_my_room=\${rc_my_room##* }
case $rc_my_room in '' | *[!0-9]*) continue ;; esac
[ "$rc_my_room" -ge "$2" ] || return 0
set -- "$1" 1
done
return 1
}
rc_my_blame() {
if [ ! -d "$1" ]; then rc_my_folder "$1"
elif rc_my_fixed "$1"; then rc_fail immutable "$1 may not be changed (chattr)"
elif rc_my_fixed "$2"; then rc_fail immutable "$2 may not be changed (chattr)"
elif rc_my_read_only "$1"; then rc_fail read-only "the file system of $1 is mounted read-only"
elif rc_my_full "$1" "$3"; then rc_fail disk-full "the file system of $1 has no room for $2"
else rc_fail "$4"
fi
}
rc_my_known() {
case $2 in *[!0-9]*) ;; *) return 0 ;; esac
if command -v getent >/dev/null 2>&1; then getent "$1" "$2" >/dev/null; else grep -q "^$2:" "/etc/$1"; fi
}
rc_my_own() {
chown "$2:$3" "$1" && return 0
if ! rc_my_known passwd "$2"; then rc_fail no-such-owner "there is no user $2"
elif ! rc_my_known group "$3"; then rc_fail no-such-owner "there is no group $3"
fi
return 1
}
rc_my_write() {
rc_my_in_the_way "$1" && return 1
rm -f "$2"
rc_my_why=write-failed
rc_my_put "$@" && return 0
rm -f "$2"
[ -n "$rc_code" ] || rc_my_blame "$3" "$1" "$8" "$rc_my_why"
return 1
}
rc_my_put() {
(umask 077; set -C; base64 -d >"$2") || return 1
rc_my_sum=$(sha256sum <"$2") || return 1
if [ "\${rc_my_sum%% *}" != "$7" ]; then
echo "what arrived has the digest \${rc_my_sum%% *}, not $7"
rc_my_why=content-mismatch
return 1
fi
rc_my_own "$2" "$4" "$5" && chmod "$6" "$2" && sync "$2" && mv -f "$2" "$1" && sync "$3"
}
rc_my_adorn() {
[ -z "$3" ] || rc_my_own "$2" "$3" "$4" || { [ -n "$rc_code" ] || rc_my_blame "$1" "$2" 0 write-failed; return 1; }
chmod "0$5" "$2" && sync "$2" && return 0
rc_my_blame "$1" "$2" 0 write-failed
return 1
}`;
