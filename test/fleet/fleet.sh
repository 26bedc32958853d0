#!/usr/bin/env bash
# shellcheck disable=SC1090,SC1091,SC2154,SC2317 # env files are written here and read here; verbs are called by name
# Fleets of real Debian nodes on this machine; needs root and a cgroup2 mount. Fleets of different ids do not meet.
#   up ID COUNT [--light]    a new fleet ID with nodes n1..nCOUNT, ready for ssh (--light: sshd as PID 1, no systemd);
#                            whatever an earlier fleet of that id left is removed first
#   down ID                  stop it and remove all it made
#   list                     fleets of this machine
#   inventory ID             its nodes, as JSON
#   start ID NODE            power on, and wait until it is ready
#   kill ID NODE             power loss; the disk stays
#   wipe ID NODE             power loss and a new disk with new host keys; the node stays off
#   cut|heal ID NODE         unplug, replug the network cable: packets vanish without an answer
#   freeze|thaw ID NODE      stop, resume all its processes: connections open, nobody answers
#   slow ID NODE RATE|off    limit traffic towards the node, as in 256kbit
#   exec ID NODE COMMAND…    run as root in the node, without ssh
#   wait ID NODE             wait until it is ready, as after a reboot inside
#   image                    build the cached image
set -euo pipefail
umask 022

here=$(dirname "$(readlink -f "$0")")
fleets=${ROLLCALL_FLEET_STATE:-/var/tmp/rollcall-fleet} # disks, keys, inventories: a folder for each fleet
registry=/run/rollcall-fleet                            # what fleets share: slots, locks, the old inotify limit
slots=64 most=750                                       # a slot is 1/64 of 198.19.0.0/16 and its twin in 127.128.0.0/10
inotify=/proc/sys/fs/inotify/max_user_instances

die() { echo "fleet: $*" >&2; exit 1; }

# until_true SECONDS WHAT COMMAND…: polls COMMAND, and fails naming WHAT when the time is over
until_true() {
  local end=$((SECONDS + $1)) what=$2
  until "${@:3}"; do
    ((SECONDS < end)) || die "$what: gave up after $1 s"
    sleep 0.02
  done
}

# Takes a lock file for the rest of this process (descriptor 7 or 8), and again if its last holder removed it meanwhile.
lock() {
  local file=$registry/$2.lock
  while :; do
    eval "exec $1>\"\$file\""
    flock -w 300 "$1" || die "$file: another start or stop has been at work for 300 s"
    [[ ! $file -ef /proc/self/fd/$1 ]] || return 0
  done
}
unlock() { rm -f "$registry/$2.lock"; eval "exec $1>&-"; }

open_fleet() { # sets what the fleet's env holds
  [[ -e $state/env ]] || die "no such fleet: $id"
  . "$state/env"
}
open_node() {
  open_fleet
  node=$state/nodes/${1:?node name missing}
  [[ -e $node/env ]] || die "no such node in $id: $1"
  . "$node/env"
}
names() { [[ ! -d $state/nodes ]] || ls -v "$state/nodes"; }
populated() { grep -qs '^populated 1' "$1/cgroup.events"; }
emptied() { ! populated "$1"; }
end_cgroup() { # ends every process under it, and removes it
  [[ -d $1 ]] || return 0
  echo 1 >"$1/cgroup.kill"
  until_true 20 "processes in $1" emptied "$1"
  find "$1" -depth -type d -exec rmdir {} +
}

# --- slots: the part of the network that is one fleet's
slot_free() {
  local net=198.19.$((4 * $1)).0/22
  [[ ! -L $registry/slot-$1 && ! -e /sys/class/net/rcf$1 ]] &&
    ! { ip -4 route show match "$net"; ip -4 route show root "$net"; } | grep -qv '^default'
}
claim_slot() { # the first slot looked at follows from the id, so that a fleet mostly gets the addresses it had
  local first i
  first=$((16#$(printf %s "$id" | sha256sum | cut -c1-6) % slots))
  lock 8 machine
  for ((i = 0; i < slots; i++)); do
    slot=$(((first + i) % slots))
    if slot_free "$slot"; then
      ln -s "$state" "$registry/slot-$slot"
      raise_inotify
      unlock 8 machine
      return 0
    fi
  done
  die "all $slots slots are taken; see: $0 list"
}
raise_inotify() { # each systemd takes a few instances, and the usual limit is 128
  (($(<"$inotify") < 8192)) || return 0
  [[ -e $registry/inotify ]] || cat "$inotify" >"$registry/inotify"
  echo 8192 >"$inotify"
}
release_slots() {
  local link device number
  lock 8 machine
  for link in "$registry"/slot-*; do
    [[ -L $link && $(readlink "$link") == "$state" ]] || continue
    number=${link##*-}
    nft delete table ip "rollcall_fleet_$number" 2>/dev/null || true
    for device in /sys/class/net/rcf"$number"n* /sys/class/net/rcf"$number"; do
      [[ ! -e $device ]] || ip link del "${device##*/}" 2>/dev/null || true # may vanish with its node meanwhile
    done
    rm "$link"
  done
  if [[ -e $registry/inotify ]] && ! compgen -G "$registry/slot-*" >/dev/null; then
    cat "$registry/inotify" >"$inotify"
    rm "$registry/inotify"
  fi
  unlock 8 machine
}

network() {
  local outside=127.$((128 + slot)).0.0/22 inside=198.19.$((4 * slot)).0/22
  ip link add "$bridge" type bridge
  ip addr add "198.19.$((4 * slot + 3)).254/22" dev "$bridge"
  ip link set "$bridge" up
  echo 1 >"/proc/sys/net/ipv4/conf/$bridge/route_localnet"
  nft -f - <<-NFT
	table ip rollcall_fleet_$slot {
	  chain out { type nat hook output priority -100; dnat ip prefix to ip daddr map { $outside : $inside }; }
	  chain post { type nat hook postrouting priority 100; oifname "$bridge" ip saddr 127.0.0.0/8 masquerade; }
	}
	NFT
}

# --- nodes
make_node() { # make_node INDEX: a new disk, identity and host key
  local index=$1 name=n$1 node=$state/nodes/n$1 upper=$state/nodes/n$1/upper address low=$((($1 - 1) / 250))
  address=198.19.$((4 * slot + low)).$((($1 - 1) % 250 + 1))
  mkdir -p "$upper/etc/ssh" "$node/work" "$node/root"
  cat >"$node/env" <<-ENV
	index=$index name=$name address=$address veth=rcf${slot}n$index light=$light
	mac=$(printf '02:00:00:00:%02x:%02x' $((index / 256)) $((index % 256)))
	reach=127.$((128 + slot)).$low.$((($1 - 1) % 250 + 1))
	ENV
  ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$upper/etc/ssh/ssh_host_ed25519_key"
  cp "$state/id_ed25519.pub" "$upper/etc/ssh/fleet_authorized_keys"
  tr -d - </proc/sys/kernel/random/uuid >"$upper/etc/machine-id"
  echo "$name" >"$upper/etc/hostname"
  printf '127.0.0.1 localhost\n%s %s\n' "$address" "$name" >"$upper/etc/hosts"
}
power_on() { # a node that is off; does not wait
  mkdir -p "$cgroup/$name/node"
  rm -f "$node"/{pid,off}
  # The locks must not live on in the node.
  setsid -f "$here/node-boot.sh" supervise "$node" </dev/null >>"$node/console.log" 2>&1 7>&- 8>&-
}
# Joins a node's namespaces, without the capabilities its init lacks too: the clock and the kernel are this machine's.
inside() {
  setpriv --bounding-set=-sys_time,-sys_module,-sys_rawio nsenter -t "$(<"$node/pid")" -m -u -i -n -p -C -- "$@"
}
listening() { # something in the node listens on port 22
  [[ ! -e $node/off ]] ||
    die "$id $name went off: $(cat "$node/off"; tail -n 2 "$node/console.log"); see $node/console.log"
  grep -qs ':0016 00000000:0000 0A' "/proc/$(cat "$node/pid" 2>/dev/null)/net/tcp"
}
await() { # until ssh is served, and systemd has nothing left to start
  until_true $((60 + ${1:-0})) "$id $name has no sshd, see $node/console.log" listening
  ((!light)) || return 0
  inside timeout 60 systemctl is-system-running --wait >"$node/boot-state" || [[ $(<"$node/boot-state") == degraded ]] ||
    die "$id $name does not finish its boot: $(<"$node/boot-state"); see $node/console.log"
}
write_inventory() {
  local n key json='' hosts=''
  for n in $(names); do
    . "$state/nodes/$n/env"
    key=$(cut -d' ' -f1,2 "$state/nodes/$n/upper/etc/ssh/ssh_host_ed25519_key.pub")
    hosts+="$reach $key"$'\n'
    json+=$(printf ',\n{"name":"%s","address":"%s","port":22,"hostKey":"%s","directory":"%s"}' \
      "$name" "$reach" "$key" "$state/nodes/$n")
  done
  printf %s "$hosts" >"$state/known_hosts"
  printf '{"id":"%s","keyFile":"%s","knownHostsFile":"%s","image":"%s","nodes":[%s]}\n' \
    "$id" "$state/id_ed25519" "$state/known_hosts" "$lower" "${json#,}" >"$state/inventory.json"
}

# --- ownership: the process that asked for the fleet, by number and start time
process() { [[ -e /proc/$1/stat ]] && echo "$1 $(sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20)"; }
refuse_if_owned() {
  local owner
  owner=$(cat "$state/owner" 2>/dev/null) || return 0
  [[ ${owner%% *} == "${ROLLCALL_FLEET_OWNER:-}" || $(process "${owner%% *}") != "$owner" ]] ||
    die "$id belongs to process ${owner%% *}, which is still running"
}

# --- verbs
remove_fleet() {
  end_cgroup "$cgroup"
  release_slots
  rm -rf "$state"
}
verb_up() {
  local count=${1:?number of nodes missing} light=0 n slot bridge image
  ((count <= most)) || die "$most nodes are the most"
  [[ ${2:-} != --light ]] || light=1
  refuse_if_owned
  image=$("$here/image.sh")
  lock 7 "$id"
  remove_fleet
  mkdir -p "$state/nodes"
  [[ -z ${ROLLCALL_FLEET_OWNER:-} ]] || process "$ROLLCALL_FLEET_OWNER" >"$state/owner"
  claim_slot
  bridge=rcf$slot
  { echo "$image"; printf '%s=%q\n' slot "$slot" bridge "$bridge" prefix_length 22 cgroup "$cgroup"; } >"$state/env"
  open_fleet
  network
  ssh-keygen -q -t ed25519 -N '' -C "$id" -f "$state/id_ed25519"
  for ((n = 1; n <= count; n++)); do make_node "$n"; done
  write_inventory
  for n in $(names); do open_node "$n" && power_on; done
  for n in $(names); do open_node "$n" && await "$count"; done
  unlock 7 "$id"
}
verb_down() { refuse_if_owned; lock 7 "$id"; remove_fleet; unlock 7 "$id"; }
verb_list() {
  local link
  for link in "$registry"/slot-*; do
    [[ ! -L $link ]] || echo "$(basename "$(readlink "$link")") slot ${link##*-} $(readlink "$link")"
  done
}
verb_inventory() { open_fleet; cat "$state/inventory.json"; }
verb_start() { open_node "$1"; populated "$cgroup/$name" || power_on; await; }
verb_wait() { open_node "$1"; await; }
verb_kill() {
  open_node "$1"
  end_cgroup "$cgroup/$name"
  rm -f "$node/pid"
  ip link del "$veth" 2>/dev/null || true
}
verb_wipe() { verb_kill "$1"; rm -rf "$node"/{upper,work,volumes}; make_node "$index"; write_inventory; }
verb_cut() { open_node "$1"; ip link set "$veth" down; }
verb_heal() { open_node "$1"; ip link set "$veth" up; }
frozen() { grep -q "^frozen $1" "$cgroup/$name/node/cgroup.events"; }
verb_freeze() { open_node "$1"; echo 1 >"$cgroup/$name/node/cgroup.freeze"; until_true 20 "freezing $name" frozen 1; }
verb_thaw() { open_node "$1"; echo 0 >"$cgroup/$name/node/cgroup.freeze"; until_true 20 "thawing $name" frozen 0; }
verb_slow() {
  open_node "$1"
  tc qdisc del dev "$veth" root 2>/dev/null || true
  [[ ${2:?rate missing} == off ]] || tc qdisc add dev "$veth" root tbf rate "$2" burst 2kb latency 2s
}
verb_exec() { open_node "$1"; [[ -e $node/pid ]] || die "$name is off"; inside "${@:2}"; }
verb_image() { "$here/image.sh"; }

verb=${1:-} id=${2:-} state=$fleets/${2:-}
[[ -n $verb && $(type -t "verb_$verb") == function ]] || { sed -n '3,/^set/{/^set/d;s/^# \?//p}' "$0" >&2; exit 2; }
((EUID == 0)) || die 'must be root'
mkdir -p "$registry" "$fleets"
case $verb in
  list | image) "verb_$verb"; exit ;;
esac
[[ $id =~ ^[a-z0-9][a-z0-9-]{0,39}$ ]] || die "not a fleet id: '$id' (small letters, digits and dashes)"
cgroups=$(findmnt -nt cgroup2 -o TARGET | head -n1)
[[ -n $cgroups ]] || die 'no cgroup2 mount'
cgroup=$cgroups/rollcall-fleet-$id
"verb_$verb" "${@:3}"
