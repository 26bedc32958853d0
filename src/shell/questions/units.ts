import { UNKNOWN_UNIT, type UnitFact } from "../../model/node-facts.ts";
import { type UnitName, unitKey } from "../../model/node-question.ts";
import type { QuestionBlock } from "../block.ts";
import { textOf } from "../latin1.ts";
import { quote } from "../quote.ts";

/**
 * What the managers say of units. For the system's manager two processes: one `systemctl show` of all units, and one
 * `is-enabled` of those that have a file, since `show` remembers the state of the links it saw first. For each user's
 * manager one `id` more. A manager that does not answer leaves no block, and its units are not known (cases.md 16).
 *
 *     manager <index> <uptime>      index into the managers asked, seconds since boot
 *     <Property>=<value>            of each unit in turn; values may repeat
 *     enabled <number>…             units whose state follows, one a line, until something is amiss
 */
export const units: QuestionBlock<UnitName, UnitFact> = {
  render: (names) => [SHOW, ...managers(names).map(renderManager)].join("\n"),
  parse(section, names) {
    const asked = managers(names);
    const answers = readAnswers(section);
    return new Map(
      asked.flatMap(({ user, units: unitNames }, manager) =>
        unitNames.map((name, number): [string, UnitFact] => [
          unitKey({ name, user }),
          factOf(name, answers.get(manager), number),
        ]),
      ),
    );
  },
};

const PROPERTIES = [
  "Id",
  "LoadState",
  "ActiveState",
  "SubState",
  "UnitFileState",
  "FragmentPath",
  "Type",
  "RemainAfterExit",
  "Result",
  "NRestarts",
  "NeedDaemonReload",
  "EnvironmentFiles",
  "ExecMainStartTimestampMonotonic",
  "ActiveEnterTimestampMonotonic",
  "ConditionResult",
  "ConditionTimestampMonotonic",
  "WantedBy",
  "RequiredBy",
  "UpheldBy",
  "TriggeredBy",
];

/**
 * `rc_units MANAGER UNIT…` with `rc_manager` as the command before the verb. `is-enabled` stops at the first unit whose
 * file is gone, and asks the programs of /etc/init.d about what a generator made of them: both are left out. Each unit has
 * one FragmentPath= line, so that lines are units, in the order in which they were asked.
 */
const SHOW = `rc_units() {
rc_index=$1 rc_uptime=''
shift
rc_shown=$($rc_manager show --no-pager -p ${PROPERTIES.join(",")} -- "$@" 2>/dev/null)
{ read -r rc_uptime rc_rest </proc/uptime; } 2>/dev/null
printf 'manager %s %s\\n%s\\n' "$rc_index" "$rc_uptime" "$rc_shown"
rc_number=0 rc_files='' rc_numbers=''
IFS='
'
set -f
for rc_line in $rc_shown; do
case $rc_line in FragmentPath=*) ;; *) continue ;; esac
rc_number=$((rc_number + 1)) rc_file=\${rc_line#*=}
case $rc_file in '' | /run/systemd/generator*) continue ;; esac
[ -e "$rc_file" ] || continue
rc_files="$rc_files \\"\\\${$rc_number}\\"" rc_numbers="$rc_numbers $rc_number"
done
set +f
unset IFS
[ -n "$rc_files" ] || return 0
printf 'enabled%s\\n' "$rc_numbers"
eval "$rc_manager is-enabled -- $rc_files" 2>/dev/null
}`;

interface Manager {
  readonly user: string | null;
  readonly units: readonly string[];
}

/** The system's manager and each user's, with their units, in order of first mention. */
function managers(names: readonly UnitName[]): readonly Manager[] {
  const users = [...new Set(names.map(({ user }) => user))];
  return users.map((user) => ({
    user,
    units: [...new Set(names.filter((name) => name.user === user).map(({ name }) => name))],
  }));
}

function renderManager({ user, units: unitNames }: Manager, index: number): string {
  const call = `rc_units ${index} ${unitNames.map(quote).join(" ")}`;
  if (user === null) return `rc_manager=systemctl\n${call}`;
  // setpriv and not runuser: no session is opened and logged for a question.
  return `rc_ids=$(id ${quote(user)} 2>/dev/null) && {
rc_uid=\${rc_ids#uid=} rc_gid=\${rc_ids#* gid=}
rc_uid=\${rc_uid%%[!0-9]*} rc_gid=\${rc_gid%%[!0-9]*}
rc_manager="setpriv --reuid=$rc_uid --regid=$rc_gid --init-groups env XDG_RUNTIME_DIR=/run/user/$rc_uid systemctl --user"
${call}
}`;
}

interface Answer {
  readonly uptimeMs: number | null;
  /** Of each unit that was asked, in order. */
  readonly blocks: readonly ReadonlyMap<string, readonly string[]>[];
  /** What `is-enabled` says, by the unit's number from 0. */
  readonly enabled: ReadonlyMap<number, string>;
}

function readAnswers(section: string): Map<number, Answer> {
  const answers = new Map<number, Answer>();
  for (const part of section.split(/^manager /m).slice(1)) {
    const [head = "", ...lines] = part.split("\n");
    const [index = "", uptime = ""] = head.split(" ");
    const list = lines.findIndex((line) => line.startsWith("enabled "));
    answers.set(Number(index), {
      uptimeMs: uptime === "" ? null : Math.round(Number(uptime) * 1000),
      blocks: readBlocks(list === -1 ? lines : lines.slice(0, list)),
      enabled: list === -1 ? new Map() : readEnabled(lines[list] ?? "", lines.slice(list + 1)),
    });
  }
  return answers;
}

/** Properties of one unit stand together, in the manager's order; an empty line stands between two units. */
function readBlocks(lines: readonly string[]): ReadonlyMap<string, readonly string[]>[] {
  return lines
    .join("\n")
    .split(/\n\n+/)
    .map((block) => {
      const values = new Map<string, string[]>();
      for (const line of block.split("\n")) {
        const at = line.indexOf("=");
        if (at === -1) continue;
        const key = line.slice(0, at);
        values.set(key, [...(values.get(key) ?? []), line.slice(at + 1)]);
      }
      return values;
    })
    .filter((values) => values.has("Id"));
}

function readEnabled(head: string, lines: readonly string[]): Map<number, string> {
  const numbers = head.split(" ").slice(1).map(Number);
  return new Map(lines.filter((line) => line !== "").map((line, at) => [(numbers[at] ?? 0) - 1, line]));
}

function factOf(name: string, answer: Answer | undefined, number: number): UnitFact {
  const block = answer?.blocks[number];
  if (answer === undefined || block === undefined) return { ...UNKNOWN_UNIT, id: name };
  const value = (key: string): string => textOf(block.get(key)?.[0] ?? "");
  const since = (key: string): number => Number(value(key)) / 1000;
  const shown = value("UnitFileState");
  const enabled = answer.enabled.get(number);
  return {
    reachable: true,
    id: value("Id"),
    loadState: value("LoadState"),
    activeState: value("ActiveState"),
    subState: value("SubState"),
    // Of an alias `is-enabled` only says that it is one; `show` speaks of the unit behind it (cases.md 11).
    unitFileState: enabled === undefined || enabled === "alias" ? shown : enabled,
    fragmentPath: value("FragmentPath"),
    type: value("Type"),
    remainAfterExit: value("RemainAfterExit") === "yes",
    result: value("Result"),
    restarts: Number(value("NRestarts") || "0"),
    needDaemonReload: value("NeedDaemonReload") === "yes",
    hasRun: since("ExecMainStartTimestampMonotonic") > 0,
    referenced: ["WantedBy", "RequiredBy", "UpheldBy", "TriggeredBy"].some((key) => value(key) !== ""),
    skipped: since("ConditionTimestampMonotonic") > 0 && value("ConditionResult") === "no",
    activeForMs: activeFor(value("ActiveState"), since("ActiveEnterTimestampMonotonic"), answer.uptimeMs),
    environmentFiles: (block.get("EnvironmentFiles") ?? []).flatMap((entry) => environmentFile(textOf(entry))),
  };
}

/** Hundredths of a second are what /proc/uptime tells, rounded down. */
const UPTIME_STEP_MS = 10;

/**
 * Null also where the clock of /proc is another one than the manager's, as in some containers. The clock is read after the
 * manager has answered, so that a unit that came up this moment is not taken for one of those.
 */
function activeFor(state: string, sinceMs: number, uptimeMs: number | null): number | null {
  if (state !== "active" || sinceMs === 0 || uptimeMs === null || uptimeMs + UPTIME_STEP_MS < sinceMs) return null;
  return Math.max(0, Math.round(uptimeMs - sinceMs));
}

/** `/etc/default/caddy (ignore_errors=yes)` → the path. */
function environmentFile(entry: string): string[] {
  const path = /^(\/.*) \(ignore_errors=(?:yes|no)\)$/.exec(entry)?.[1];
  return path === undefined ? [] : [path];
}
