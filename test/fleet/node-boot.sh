#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154 # both environment files are written by fleet.sh; one script is quoted for later
# node-boot.sh supervise DIRECTORY: runs one node until it powers off; a reboot inside brings it up again.
# DIRECTORY is the node's: `env` (and the fleet's `../../env`) say what it is made of; `pid` is its init as seen here,
# `off` why it is off, unless it was killed.
set -euo pipefail
self=$(readlink -f "$0") directory=$2
. "$directory/../../env"
. "$directory/env"
: "${lower:?}" "${apt:?}" "${cgroup:?}" "${bridge:?}" "${prefix_length:?}"          # the fleet's
: "${name:?}" "${address:?}" "${mac:?}" "${veth:?}" "${light:?}"                    # the node's
devices='null zero full random urandom tty fuse net/tun'

# Outside the node's namespaces. The end of a PID namespace by reboot(2) reaches its parent as SIGHUP, hence 129; the
# supervisor is in the node's cgroup, beside the one the node sees, so that one cgroup.kill ends both.
supervise() {
  echo 0 >"$cgroup/$name/cgroup.procs"
  local status=129
  while ((status == 129)); do
    status=0
    rm -f "$directory/pid"
    unshare --pid --mount --uts --ipc --net --fork --kill-child "$self" enter "$directory" $$ || status=$?
  done
  rm -f "$directory/pid"
  echo "init ended with $status" >"$directory/off"
}

cable() { # cable OUTER_NAMESPACE: eth0 inside, $veth on the bridge outside
  local outside=(nsenter --net="$1" ip)
  "${outside[@]}" link del "$veth" 2>/dev/null || true # of the boot before
  ip link add eth0 address "$mac" type veth peer name "$veth" netns "$1"
  ip addr add "$address/$prefix_length" dev eth0
  ip link set lo up
  ip link set eth0 up
  "${outside[@]}" link set "$veth" master "$bridge" up
  # Known for ever, so that a node that is cut or off is silence, not "no route to host".
  "${outside[@]}" neigh replace "$address" lladdr "$mac" dev "$bridge" nud permanent
}

read_only() { mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"; }

mount_tree() { # mount_tree ROOT: disk, kernel views and devices of the node, under ROOT
  local root=$1 x
  mount -t overlay overlay \
    -o "lowerdir=$lower,upperdir=$directory/upper,workdir=$directory/work,metacopy=off,redirect_dir=off" "$root"
  mount --bind "$apt" "$root/srv/apt"
  mount -o remount,bind,ro "$root/srv/apt"
  # A container engine stacks an overlay of its own, which an overlay cannot carry.
  if [[ -x $root/usr/sbin/dockerd ]]; then
    for x in var/lib/docker var/lib/containerd; do
      mkdir -p "$directory/volumes/$x" "$root/$x"
      mount --bind "$directory/volumes/$x" "$root/$x"
    done
  fi

  mount -t proc proc "$root/proc"
  # The kernel is shared: only network settings are the node's own. Its boot id must not be the machine's, though.
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
  mount -o remount,bind,ro "$root/proc/sys"
  cat /proc/sys/kernel/random/uuid >"$directory/boot-id"
  mount --bind "$directory/boot-id" "$root/proc/sys/kernel/random/boot_id"
  [[ ! -e $root/proc/sysrq-trigger ]] || read_only "$root/proc/sysrq-trigger"
  mount -t sysfs -o ro sysfs "$root/sys"

  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  mkdir -p "$root/dev/pts" "$root/dev/shm" "$root/dev/net"
  for x in $devices; do
    [[ -e /dev/$x ]] || continue
    : >"$root/dev/$x"
    mount --bind "/dev/$x" "$root/dev/$x"
  done
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s fd/0 "$root/dev/stdin"
  ln -s fd/1 "$root/dev/stdout"
  ln -s fd/2 "$root/dev/stderr"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
}

enter() { # the first process in the new namespaces; ends as the node's init
  local root=$directory/root pid init=(/lib/systemd/systemd --show-status=0)
  echo 0 >"$cgroup/$name/node/cgroup.procs"
  read -r pid _ </proc/self/stat # /proc is still the outer one, and so is the number
  cable "/proc/$1/ns/net"
  mount_tree "$root"
  hostname "$name"
  if ((light)); then
    mkdir "$root/run/sshd"
    init=(/usr/sbin/sshd -D)
  fi
  echo "$pid" >"$directory/pid"
  # The cgroup namespace comes last: it makes the node's cgroup the root that systemd manages.
  exec unshare --cgroup setpriv --bounding-set=-sys_time,-sys_module,-sys_rawio \
    env -i container=rollcall-fleet TERM=linux PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash -c 'set -e; cd "$0"; mount -t cgroup2 cgroup2 sys/fs/cgroup; pivot_root . mnt; cd /; umount -l /mnt; exec "$@"' \
    "$root" "${init[@]}"
}

case $1 in
  supervise) supervise ;;
  enter) enter "$3" ;;
esac
