import { sha256Hex } from "../../kit/digest.ts";
import type { NodeFacts } from "../../model/node-facts.ts";
import { parseFence, READ_FENCE } from "../fence.ts";
import { latin1Bytes } from "../latin1.ts";
import { parseOutcome, runRecord } from "../outcome-file.ts";
import { parseOwned } from "../owned-record.ts";
import { parsePending } from "../pending-record.ts";

/** The part of {@link NodeFacts} that is asked of every node. */
export type IdentityFacts = Pick<NodeFacts, "identity" | "pending" | "fence" | "busy" | "lastRun" | "owned">;

/** Sections of the answer. */
const IDENTITY = "identity";
const PENDING = "pending";
/** The record of what is rollcall's, and the last run's outcome file: the lines of the one differ from all of the other. */
const LEFT_BEHIND = "left-behind";

/**
 * Which machine this is and what earlier runs left on it. Two processes at most: `flock` when a run has ever been here, `cat`
 * for what it left behind; the rest the shell reads by itself.
 */
export function renderIdentity(): string {
  return `${READ_FENCE}
rc_section ${IDENTITY}
rc_kernel=''
{ read -r rc_kernel </proc/sys/kernel/ostype; } 2>/dev/null
printf 'kernel %s\\n' "\${rc_kernel:-$(uname -s)}"
if [ -r /etc/machine-id ]; then
while IFS= read -r rc_line; do printf 'machine-id %s\\n' "$rc_line"; done </etc/machine-id
printf 'machine-id-rest %s\\n' "$rc_line"
fi
if command -v dpkg-query >/dev/null 2>&1; then echo 'has dpkg'; fi
if [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1; then echo 'has systemd'; fi
rc_read_fence
[ -z "$rc_fence" ] || printf 'fence %s\\n' "$rc_fence"
if [ -r "$rc_state/lock" ] && command -v flock >/dev/null 2>&1; then
flock -s -n 9 9<"$rc_state/lock" || [ $? -ne 1 ] || echo busy
fi
rc_section ${PENDING}
for rc_file in "$rc_state"/pending/*; do
case $rc_file in *.new) continue ;; esac
{ IFS= read -r rc_line <"$rc_file"; } 2>/dev/null && printf '%s\\n' "$rc_line"
done
rc_section ${LEFT_BEHIND}
set --
[ ! -r "$rc_state/owned" ] || set -- "$rc_state/owned"
rc_last=''
{ read -r rc_last <"$rc_state/last"; } 2>/dev/null
case $rc_last in '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) ;; *)
[ ! -r "$rc_state/runs/$rc_last/outcome" ] || set -- "$@" "$rc_state/runs/$rc_last/outcome"
esac
[ $# -eq 0 ] || cat "$@"`;
}

export function parseIdentity(sections: ReadonlyMap<string, string>): IdentityFacts {
  const lines = (sections.get(IDENTITY) ?? "").split("\n").slice(0, -1);
  const values = (key: string) =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    identity: {
      machineId: machineId(values("machine-id"), values("machine-id-rest")),
      kernel: values("kernel")[0] ?? "",
      has: new Set(values("has").filter((program) => program === "dpkg" || program === "systemd")),
    },
    fence: parseFence(values("fence")[0] ?? ""),
    busy: lines.includes("busy"),
    pending: parsePending((sections.get(PENDING) ?? "").split("\n")),
    lastRun: runRecord(parseOutcome(sections.get(LEFT_BEHIND) ?? "")),
    owned: parseOwned((sections.get(LEFT_BEHIND) ?? "").split("\n").slice(0, -1)),
  };
}

/** SHA-256 of the file's bytes: its lines, and what stands after its last newline. */
function machineId(lines: readonly string[], rest: readonly string[]): string | null {
  if (rest[0] === undefined) return null;
  return sha256Hex(latin1Bytes(lines.map((line) => `${line}\n`).join("") + rest[0]));
}
