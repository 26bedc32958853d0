#!/usr/bin/env bash
# Runs the verb and keeps its exit status for later steps as well as for the job.
set -uo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
case "$ROLLCALL_CI_COMMAND" in
  pull-request | reconcile | audit | comment) ;;
  *)
    echo "::error title=rollcall::there is no verb \"ci $ROLLCALL_CI_COMMAND\""
    exit 64
    ;;
esac
arguments=()
while IFS= read -r argument; do
  [ -n "$argument" ] && arguments+=("$argument")
done <<<"$ROLLCALL_CI_ARGUMENTS"
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/rollcall-XXXXXX")
[ -n "${ROLLCALL_SSH_KEY:-}" ] || unset ROLLCALL_SSH_KEY
status=0
node "$root/dist/main.js" -C "$ROLLCALL_CI_DIRECTORY" ci "$ROLLCALL_CI_COMMAND" --output "$folder" ${arguments[@]+"${arguments[@]}"} || status=$?
{
  echo "exit-code=$status"
  echo "folder=$folder"
} >>"$GITHUB_OUTPUT"
exit "$status"
