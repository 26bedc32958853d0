#!/usr/bin/env bash
# Builds the bundle from the action's own checkout; a second use in one job finds it built.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
if [ ! -f "$root/dist/main.js" ]; then
  echo "::group::Build rollcall"
  (cd "$root" && npm ci --no-audit --no-fund --ignore-scripts && node build.mjs)
  echo "::endgroup::"
fi
