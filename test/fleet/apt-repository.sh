#!/usr/bin/env bash
# apt-repository.sh DIRECTORY: builds the packages of apt-packages.sh and their index into DIRECTORY (a flat apt
# repository). Same recipes, same bytes.
set -euo pipefail
umask 022
export SOURCE_DATE_EPOCH=1700000000

here=$(dirname "$(readlink -f "$0")")
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Names the recipes may use.
# shellcheck disable=SC2034
native=$(dpkg --print-architecture) foreign=i386

deb='' count=0

# package NAME VERSION [ARCHITECTURE]: closes the package before it and opens this one
package() {
  close_package
  deb=${1}_${2#*:}_${3:-all}.deb tree=$work/$((++count))
  control="Package: $1"$'\n'"Version: $2"$'\n'"Architecture: ${3:-all}"$'\n'
  mkdir -p "$tree/DEBIAN"
}
field() { control+="$1: $2"$'\n'; }                             # field NAME VALUE: one more control field
file() { install -D -m "${2:-644}" /dev/stdin "$tree$1"; }      # file PATH [MODE] <CONTENT
conffile() { file "$@"; echo "$1" >>"$tree/DEBIAN/conffiles"; } # as `file`, and dpkg guards it
script() { { printf '#!/bin/sh\nset -e\n'; cat; } | file "/DEBIAN/$1" 755; } # script postinst <BODY

close_package() {
  [[ -n $deb ]] || return 0
  printf '%sMaintainer: Test fleet <fleet@invalid.example>\nDescription: package of the test fleet\n' "$control" >"$tree/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$tree" "$out/$deb" >/dev/null
}

mkdir -p "$out"
# shellcheck source=apt-packages.sh source-path=SCRIPTDIR
. "$here/apt-packages.sh"
close_package
(cd "$out" && dpkg-scanpackages --multiversion . >Packages 2>"$work/scan.log") || { cat "$work/scan.log" >&2; exit 1; }
