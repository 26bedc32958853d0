import type { ExecResult } from "just-bash";
import { answer } from "../../../src/adapters/memory/answers.ts";
import type { EffectResult, MemoryNode } from "../../../src/adapters/memory/memory-node.ts";
import * as units from "../../../src/adapters/memory/unit-effects.ts";
import { findUnit } from "../../../src/adapters/memory/unit-lookup.ts";
import { NO_QUESTIONS, type UnitName, unitKey } from "../../../src/model/node-question.ts";
import { DONE, failed, joined, type NodeCommand, printed } from "./command.ts";
import { type GivenOptions, readOptions } from "./options.ts";

type UnitVerb = (node: MemoryNode, unit: UnitName) => EffectResult;

const ACTIONS: Readonly<Record<string, UnitVerb>> = {
  start: units.startUnit,
  stop: units.stopUnit,
  restart: units.restartUnit,
  "reload-or-restart": units.reloadUnit,
  enable: units.enableUnit,
  disable: units.disableUnit,
  "try-restart": (node, unit) =>
    properties(node, unit).ActiveState === "active" ? units.restartUnit(node, unit) : null,
  "reset-failed": (node, unit) => {
    if (properties(node, unit).ActiveState === "failed") node.runtime.delete(unitKey(unit));
    return null;
  },
};

const LONG = [
  ...["user", "system", "machine=", "no-pager", "property=", "value", "quiet", "no-ask-password", "now", "no-block"],
  ...[
    "runtime",
    "full",
    "no-legend",
    "all",
    "type=",
    "state=",
    "job-mode=",
    "force",
    "global",
    "no-warn",
    "no-reload",
    "lines=",
  ],
];

/** systemctl over the in-memory model of units. */
export const systemctl: NodeCommand = (args, _shell, { node }) => {
  const options = readOptions(args, { short: "M:p:Pqlfat:H:", long: LONG });
  if (options.unknown !== null) return failed(`systemctl: unrecognized option '${options.unknown}'`);
  const [verb = "", ...names] = options.operands;
  const user = managerOf(options);
  if (findUnit(node, { name: "-.mount", user }) === undefined) {
    return failed("Failed to connect to bus: No medium found");
  }
  const asked = names.map((name): UnitName => ({ name: fullName(name), user }));
  const action = ACTIONS[verb];
  if (action !== undefined) return act(node, verb, action, asked, options);
  switch (verb) {
    case "daemon-reload":
      return answerTo(units.reloadDaemon(node, user));
    case "status":
      return joined(asked.map((unit) => status(properties(node, unit))));
    case "show":
      return show(node, asked, options);
    case "is-active":
      return words(node, asked, options, (found) => found.ActiveState, ["active"], 3);
    case "is-failed":
      return words(node, asked, options, (found) => found.ActiveState, ["failed"], 1);
    case "is-enabled":
      return words(node, asked, options, (found) => found.UnitFileState || "not-found", ENABLED_WORDS, 1);
    case "is-system-running":
      return printed("running\n");
    default:
      return failed(`Unknown command verb '${verb}'.`);
  }
};

/** Words of `is-enabled` that come with exit status 0. */
const ENABLED_WORDS = ["enabled", "enabled-runtime", "static", "alias", "indirect", "generated"];

function act(
  node: MemoryNode,
  verb: string,
  action: UnitVerb,
  asked: readonly UnitName[],
  options: GivenOptions,
): ExecResult {
  const results = asked.map((unit) => answerTo(action(node, unit)));
  const now = options.has("now") ? ({ enable: units.startUnit, disable: units.stopUnit } as const)[verb] : undefined;
  return joined([...results, ...(now === undefined ? [] : asked.map((unit) => answerTo(now(node, unit))))]);
}

function answerTo(result: EffectResult): ExecResult {
  return result === null ? DONE : failed(result.detail);
}

function show(node: MemoryNode, asked: readonly UnitName[], options: GivenOptions): ExecResult {
  const wanted = [...options.all("p"), ...options.all("property")].flatMap((names) => names.split(","));
  const blocks = asked.map((unit) => {
    const known = Object.entries(properties(node, unit)).filter(([key]) => wanted.length === 0 || wanted.includes(key));
    return known
      .flatMap(([key, values]) => (Array.isArray(values) ? values : [values]).map((value) => [key, value]))
      .map(([key, value]) => `${options.has("value") ? "" : `${key}=`}${value}\n`)
      .join("");
  });
  return printed(blocks.join("\n"));
}

function words(
  node: MemoryNode,
  asked: readonly UnitName[],
  options: GivenOptions,
  word: (found: Properties) => string,
  good: readonly string[],
  exitCode: number,
): ExecResult {
  const found = asked.map((unit) => word(properties(node, unit)));
  const stdout = options.has("q", "quiet") ? "" : found.map((text) => `${text}\n`).join("");
  return { stdout, stderr: "", exitCode: found.some((text) => good.includes(text)) ? 0 : exitCode };
}

type Properties = ReturnType<typeof properties>;

/** In systemd's own order, which is not the asked one. */
function properties(node: MemoryNode, unit: UnitName) {
  const fact = answer(node, { ...NO_QUESTIONS, units: [unit] }).units.get(unitKey(unit));
  if (fact === undefined) throw new Error(`no answer about ${unit.name}`);
  const microseconds = (ms: number): string => String(Math.max(1, Math.round(ms * 1000)));
  const since = fact.activeForMs === null ? "0" : microseconds(node.nowMs - fact.activeForMs);
  return {
    Type: fact.type,
    RemainAfterExit: yesNo(fact.remainAfterExit),
    MainPID: fact.subState === "running" ? "4711" : "0",
    Result: fact.result,
    NRestarts: String(fact.restarts),
    ExecMainStartTimestampMonotonic: fact.hasRun ? microseconds(node.nowMs) : "0",
    EnvironmentFiles: fact.environmentFiles.map((file) => `${file} (ignore_errors=no)`),
    Id: fact.id,
    Names: fact.id,
    WantedBy: fact.referenced ? "multi-user.target" : "",
    LoadState: fact.loadState,
    ActiveState: fact.activeState,
    SubState: fact.subState,
    FragmentPath: fact.fragmentPath,
    UnitFileState: fact.unitFileState,
    ActiveEnterTimestampMonotonic: since,
    NeedDaemonReload: yesNo(fact.needDaemonReload),
    ConditionResult: yesNo(fact.hasRun && !fact.skipped),
    ConditionTimestampMonotonic: fact.hasRun || fact.skipped ? microseconds(node.nowMs) : "0",
  };
}

function status({ Id, LoadState, ActiveState, SubState, Result }: Properties): ExecResult {
  const stdout = `${Id}\n     Loaded: ${LoadState}\n     Active: ${ActiveState} (${SubState}), result ${Result}\n`;
  return { stdout, stderr: "", exitCode: ActiveState === "active" ? 0 : 3 };
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}

/** `--user`, or `--machine=LOGIN@.host --user`. */
function managerOf(options: GivenOptions): string | null {
  if (!options.has("user")) return null;
  return options.value("machine", "M")?.split("@")[0] ?? "root";
}

function fullName(name: string): string {
  return /\.[a-z]+$/.test(name) ? name : `${name}.service`;
}
