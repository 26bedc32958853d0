#!/usr/bin/env bash
# image.sh: prints what the nodes of a fleet are mounted from, as two shell assignments, and builds what is missing.
#   lower=DRESSED:BASE   the overlay's lower directories: BASE is plain Debian, DRESSED the accounts and settings on it
#   apt=DIRECTORY        the local apt repository, mounted on /srv/apt
# Every part is named by a digest of what it is made from, built under one lock, and moved in place when complete.
set -euo pipefail
umask 022

suite=${ROLLCALL_FLEET_SUITE:-bookworm}
packages=systemd-sysv,dbus,openssh-server,sudo,tmux,curl,ca-certificates,iproute2,procps,fish,busybox,attr,e2fsprogs,locales,libfaketime
packages+=${ROLLCALL_FLEET_EXTRA_PACKAGES:+,$ROLLCALL_FLEET_EXTRA_PACKAGES}
cache=${ROLLCALL_FLEET_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rollcall-fleet}
here=$(dirname "$(readlink -f "$0")")

digest() { sha256sum | cut -c1-12; }
base=$cache/base-$(printf '%s %s 1' "$suite" "$packages" | digest)
apt=$cache/apt-$({ cat "$here"/apt-*.sh; dpkg --print-architecture; } | digest)
dressed=$cache/dressed-$({ cat "$here/image.sh"; echo "$base $apt"; } | digest)

# Runs in a mount namespace of its own, on the merged view of base and the layer in the making.
dress() {
  local root=$1 user
  rm -f "$root"/etc/ssh/ssh_host_* "$root"/etc/machine-id "$root"/var/lib/dbus/machine-id "$root"/etc/resolv.conf
  cat >"$root/etc/ssh/sshd_config.d/fleet.conf" <<-CONF
	HostKey /etc/ssh/ssh_host_ed25519_key
	AuthorizedKeysFile .ssh/authorized_keys /etc/ssh/fleet_authorized_keys
	PasswordAuthentication no
	CONF
  # What wakes up by itself would show up in a snapshot; a node has no terminal either.
  chroot "$root" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer \
    man-db.timer e2scrub_all.timer e2scrub_reap.service systemd-tmpfiles-clean.timer getty@.service systemd-pstore.service

  for user in ops deploy noisy asks; do chroot "$root" useradd -m -s /bin/bash "$user"; done
  chroot "$root" useradd -m -s /usr/bin/fish fishy
  for user in ops deploy noisy fishy; do echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"; done
  chroot "$root" usermod -aG sudo asks
  echo asks:asks | chroot "$root" chpasswd
  # Debian's own .bashrc returns at once in a shell that is not interactive; this one talks before that.
  sed -i '1i echo "noisy: hello from .bashrc"\necho "noisy: a warning from .bashrc" >&2' "$root/home/noisy/.bashrc"
  mkdir -p "$root/home/fishy/.config/fish"
  cat >"$root/home/fishy/.config/fish/config.fish" <<-'FISH'
	echo "fishy: hello from config.fish"
	echo "fishy: a warning from config.fish" >&2
	function ls
	    echo "fishy: not the real ls"
	end
	FISH
  chroot "$root" chown -R fishy:fishy /home/fishy
  chroot "$root" setpriv --reuid fishy --regid fishy --init-groups env HOME=/home/fishy fish -c true >/dev/null 2>&1

  chroot "$root" localedef -i de_DE -f UTF-8 de_DE.UTF-8
  mkdir -p "$root/srv/apt"
  mount --bind -o ro "$apt" "$root/srv/apt"
  rm -rf "$root/etc/apt/sources.list.d"/*
  echo 'deb [trusted=yes] file:/srv/apt ./' >"$root/etc/apt/sources.list"
  chroot "$root" apt-get -qq update
  chroot "$root" apt-cache gencaches -q
}

if [[ ${1:-} == __dress ]]; then
  mount -t overlay overlay -o "lowerdir=$base,upperdir=$2/upper,workdir=$2/work,metacopy=off,redirect_dir=off" "$2/merged"
  dress "$2/merged" >&2
  exit
fi

tools_missing() { ! hash mmdebstrap nft ip tc ssh-keygen dpkg-scanpackages setpriv nsenter 2>/dev/null; }

install_tools() {
  export DEBIAN_FRONTEND=noninteractive
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || apt-get update -qq >&2
  apt-get install -y -qq -o DPkg::Lock::Timeout=120 --no-install-recommends mmdebstrap debian-archive-keyring nftables \
    iproute2 openssh-client dpkg-dev util-linux >&2 </dev/null
}

build() {
  rm -rf "$cache"/*.tmp # of a build that was killed
  if [[ ! -d $apt ]]; then
    "$here/apt-repository.sh" "$apt.tmp"
    mv "$apt.tmp" "$apt"
  fi
  if [[ ! -d $base ]]; then
    mmdebstrap --quiet --variant=minbase --include="$packages" "$suite" "$base.tmp" \
      ${ROLLCALL_FLEET_MIRROR:+"$ROLLCALL_FLEET_MIRROR"} >&2 </dev/null
    mv "$base.tmp" "$base"
  fi
  if [[ ! -d $dressed ]]; then
    mkdir -p "$dressed.tmp"/{upper,work,merged}
    unshare --mount "$here/image.sh" __dress "$dressed.tmp" >&2 </dev/null
    mv "$dressed.tmp/upper" "$dressed"
    rm -rf "$dressed.tmp"
  fi
}

if tools_missing || [[ ! -d $dressed || ! -d $base || ! -d $apt ]]; then
  ((EUID == 0)) || { echo 'fleet image: must be root' >&2; exit 1; }
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock -w 1200 9 || { echo "fleet image: another build holds $cache/lock for 20 minutes" >&2; exit 1; }
  ! tools_missing || install_tools
  build
fi
printf 'lower=%q\napt=%q\n' "$dressed:$base" "$apt"
