import type { NodeFacts, UnitFact } from "../model/node-facts.ts";
import type { CompareContext, Declared, Finding, ResourceRecord } from "./contract.ts";
import {
  cannotBeEnabled,
  exists,
  isCrashLooping,
  isFileGone,
  isMalformed,
  isMasked,
  isOneshotAtWork,
  isOutdated,
  leavesNoTrace,
  notDisabled,
  notEnabled,
  notStarted,
  notStopped,
} from "./unit-state.ts";
import { dueInThisRun, isOwnUnitFile, ownUnitFiles, type TriggeredUnit } from "./unit-triggers.ts";
import { unsatisfiable } from "./unsatisfiable.ts";

type ComparedUnit = ResourceRecord & TriggeredUnit & { readonly enabled?: boolean | undefined };

interface Due {
  readonly how: "restart" | "reload";
  readonly because: readonly string[];
}

/** Compares a unit with what its manager says; `key` is its {@link unitKey} (DESIGN §3.2: defined answers). */
export function compareUnit(
  resource: Declared<ComparedUnit>,
  key: string,
  facts: NodeFacts,
  context: CompareContext,
): Finding | null {
  const { record, role } = resource;
  const fact = facts.units.get(key);
  if (fact === undefined) return unsatisfiable("not-observed");
  if (!fact.reachable) return unreachable(record, facts, context);
  const due = joinDue(pendingDue(record, key, facts), dueInThisRun(record, role, fact, context));
  const [obstacle, ...details] = obstacles(record, fact, facts, context, due);
  if (obstacle !== undefined) return unsatisfiable(obstacle, ...details);
  return difference(record, fact, due, context);
}

/** Nothing is known of the unit; a manager that something before it may bring up is asked again by starting the unit. */
function unreachable(record: ComparedUnit, facts: NodeFacts, context: CompareContext): Finding {
  if (!facts.identity.has.has("systemd")) return unsatisfiable("no-systemd");
  if (!context.earlierDrift || !wants(record)) return unsatisfiable("manager-unreachable");
  const params = record.enabled === undefined ? {} : { enable: record.enabled };
  if (record.state === "started") return { verb: "start", severity: "drift", reasons: ["manager-unreachable"], params };
  return { verb: "enable", severity: "drift", reasons: ["manager-unreachable"], params: {} };
}

function pendingDue(record: ComparedUnit, key: string, facts: NodeFacts): Due | null {
  return record.state === "started" ? (facts.pending.get(key) ?? null) : null;
}

function joinDue(left: Due | null, right: Due | null): Due | null {
  if (left === null || right === null) return left ?? right;
  const how = left.how === "restart" || right.how === "restart" ? "restart" : "reload";
  return { how, because: [...new Set([...left.because, ...right.because])] };
}

/** What no action of ours would end, or what must not be acted on. */
function obstacles(
  record: ComparedUnit,
  fact: UnitFact,
  facts: NodeFacts,
  context: CompareContext,
  due: Due | null,
): readonly string[] {
  const ownFileChanges = changesOwnFile(record, fact, context);
  const fileMayCome = ownFileChanges || (isFileGone(fact) && [...context.changing].some(mayBringUnits));
  if (wants(record)) {
    // An empty file masks too, and is no longer there when this run writes it.
    if (isMasked(fact) && !context.changing.has(`path:${fact.fragmentPath}`)) return ["unit-masked"];
    if (!exists(fact) && !context.earlierDrift) return ["unit-not-found"];
    // What the manager refused may have been mended since, by a run that was cut off before it said so.
    if (isMalformed(fact) && !ownFileChanges && !fact.needDaemonReload) return [fact.loadState];
    if (isUnitFileMissing(record, facts, context)) return ["unit-file-missing"];
  }
  if (record.enabled === true && cannotBeEnabled(fact) && !fileMayCome) {
    return ["cannot-be-enabled", ...(fact.unitFileState === "" ? [] : [fact.unitFileState])];
  }
  return record.state === "started" && due === null && !ownFileChanges ? hindrances(record, fact) : [];
}

/** Why a unit that is to run cannot be told to, as long as nothing about it changes. */
function hindrances(record: ComparedUnit, fact: UnitFact): readonly string[] {
  if (isCrashLooping(fact)) return ["crash-loop", ...(fact.result === "success" ? [] : [fact.result])];
  if (fact.activeState === "activating" && !isOneshotAtWork(fact)) return ["activating"];
  return leavesNoTrace(fact) && record.enabled !== true ? ["oneshot-leaves-no-trace"] : [];
}

function difference(record: ComparedUnit, fact: UnitFact, due: Due | null, context: CompareContext): Finding | null {
  const state = stateReasons(record, fact, context);
  const enablement = enablementReasons(record, fact, context);
  const stale = isStale(record, fact, context) ? ["daemon-reload-needed"] : [];
  const reasons = [...new Set([...state, ...(due === null ? [] : [`${due.how}-due`]), ...stale, ...enablement])];
  if (reasons.length === 0) return atWork(record, fact);
  const params = {
    ...(due === null ? {} : { [due.how]: true, because: due.because }),
    ...(stale.length > 0 ? { daemon_reload: true } : {}),
  };
  if (record.state === undefined || state.length + stale.length + (due === null ? 0 : 1) === 0) {
    return { verb: record.enabled === true ? "enable" : "disable", severity: "drift", reasons, params };
  }
  const verb = record.state === "started" ? "start" : "stop";
  const enable = enablement.length > 0 ? { enable: record.enabled } : {};
  return { verb, severity: "drift", reasons, params: { ...params, ...enable } };
}

function stateReasons(record: ComparedUnit, fact: UnitFact, context: CompareContext): readonly string[] {
  if (record.state === undefined) return [];
  if (record.state === "started") return notStarted(fact);
  return arrives(fact, context) ? ["not-found"] : notStopped(fact);
}

function enablementReasons(record: ComparedUnit, fact: UnitFact, context: CompareContext): readonly string[] {
  if (record.enabled === undefined) return [];
  if (record.enabled) return notEnabled(fact);
  return arrives(fact, context) ? ["not-found"] : notDisabled(fact);
}

/**
 * What is not there yet, and what is to change before it may bring it: packages start and enable their services, and links
 * outlive their files. It is told to be down once it is there.
 */
function arrives(fact: UnitFact, context: CompareContext): boolean {
  return !exists(fact) && context.earlierDrift && [...context.changing].some(mayBringUnits);
}

function mayBringUnits(claim: string): boolean {
  return claim.startsWith("package:") || /^path:.*\/systemd\/(system|user)\//.test(claim);
}

/** Shown, and not acted on: it is doing what was asked, and is not done yet (cases.md 1). */
function atWork(record: ComparedUnit, fact: UnitFact): Finding | null {
  if (record.state !== "started" || !isOneshotAtWork(fact)) return null;
  return { verb: "noop", severity: "warn", reasons: ["activating"], params: {} };
}

/** The manager still holds what a file of this role said before: a run was cut off between writing and reloading. */
function isStale(record: ComparedUnit, fact: UnitFact, context: CompareContext): boolean {
  if (!isOutdated(fact)) return false;
  return record.unit_file !== undefined || ownUnitFiles(record, fact, context.siblings).length > 0;
}

function isUnitFileMissing(record: ComparedUnit, facts: NodeFacts, context: CompareContext): boolean {
  if (record.unit_file === undefined || context.earlierDrift) return false;
  return facts.paths.get(record.unit_file)?.found === null;
}

function changesOwnFile(record: ComparedUnit, fact: UnitFact, context: CompareContext): boolean {
  return [...context.changing].some(
    (claim) => claim.startsWith("path:") && isOwnUnitFile(claim.slice("path:".length), record, fact),
  );
}

/** Is something to run, or to run at boot? What is to be down may as well not exist. */
function wants(record: ComparedUnit): boolean {
  return record.state === "started" || record.enabled === true;
}
