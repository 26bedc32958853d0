import type { UnitFact } from "../model/node-facts.ts";

/**
 * The defined answers for what systemd says of a unit (DESIGN §3.2; cases.md 1–12). Each function gives the reasons for
 * which the unit is not as declared, most important first; none: it is.
 */

/** A unit that was restarted by its manager and is not up for this long, milliseconds, is in a crash loop (cases.md 4). */
const STABLE_AFTER_MS = 10_000;

const UP = ["active", "reloading", "refreshing"];

export function isUp(fact: UnitFact): boolean {
  return UP.includes(fact.activeState);
}

/** Exists on the node, under a file or made by the manager. */
export function exists(fact: UnitFact): boolean {
  return fact.loadState !== "not-found" && fact.loadState !== "";
}

/** On the disk, when that is known: what the manager holds may be a mask that is gone since. */
export function isMasked(fact: UnitFact): boolean {
  return fact.unitFileState.startsWith("masked") || (fact.loadState === "masked" && fact.unitFileState === "");
}

/**
 * The manager holds something else than what the disk says now. Of a masked unit with drop-ins it always says so, since it
 * does not read them.
 */
export function isOutdated(fact: UnitFact): boolean {
  return !isMasked(fact) && (fact.needDaemonReload || fact.loadState === "masked");
}

/** Neither up nor down: a oneshot at work is what `started` asks for, all others are on their way (cases.md 1). */
export function isOneshotAtWork(fact: UnitFact): boolean {
  return fact.activeState === "activating" && fact.type === "oneshot" && !isAutoRestart(fact);
}

/** systemd restarts it again and again; a start by us would be one more. */
export function isCrashLooping(fact: UnitFact): boolean {
  if (isAutoRestart(fact)) return true;
  return isUp(fact) && fact.restarts > 0 && fact.activeForMs !== null && fact.activeForMs < STABLE_AFTER_MS;
}

function isAutoRestart(fact: UnitFact): boolean {
  return fact.activeState === "activating" && fact.subState.startsWith("auto-restart");
}

/** A oneshot that has done its work is inactive, and as declared. */
function isFinishedOneshot(fact: UnitFact): boolean {
  return fact.activeState === "inactive" && fact.type === "oneshot" && fact.hasRun && fact.result === "success";
}

/**
 * A oneshot that is neither kept active nor referred to is forgotten as soon as it ends, so that nobody can read back that
 * it ran: it would be run again on every apply.
 */
export function leavesNoTrace(fact: UnitFact): boolean {
  return (
    fact.type === "oneshot" &&
    fact.activeState === "inactive" &&
    !fact.remainAfterExit &&
    !fact.hasRun &&
    !fact.referenced
  );
}

/** Declared started. `activating` is not asked here. */
export function notStarted(fact: UnitFact): readonly string[] {
  if (!exists(fact)) return ["not-found"];
  if (isUp(fact) || fact.activeState === "activating" || isFinishedOneshot(fact)) return [];
  if (fact.activeState === "failed" && fact.result !== "success") return ["failed", fact.result];
  return fact.skipped ? [fact.activeState, "condition-not-met"] : [fact.activeState];
}

/** Declared stopped: whatever runs, or is about to, is stopped (cases.md 2). A failed unit does not run. */
export function notStopped(fact: UnitFact): readonly string[] {
  return ["inactive", "failed", ""].includes(fact.activeState) ? [] : [fact.activeState];
}

/** Declared enabled. `enabled-runtime` is gone after a boot; `indirect` and `linked` mean that others are (cases.md 6). */
export function notEnabled(fact: UnitFact): readonly string[] {
  if (fact.unitFileState === "enabled") return [];
  return [fact.unitFileState === "" ? "not-found" : fact.unitFileState];
}

export function notDisabled(fact: UnitFact): readonly string[] {
  return fact.unitFileState === "enabled" || fact.unitFileState === "enabled-runtime" ? [fact.unitFileState] : [];
}

/** Without an [Install] section, or not from a file at all: enabling changes nothing, for ever (cases.md 8). */
export function cannotBeEnabled(fact: UnitFact): boolean {
  return exists(fact) && ["static", "generated", "transient", "bad", ""].includes(fact.unitFileState);
}

/** The manager still knows a unit whose file is there no more, as of a package that was removed while it ran. */
export function isFileGone(fact: UnitFact): boolean {
  return exists(fact) && ["bad", ""].includes(fact.unitFileState);
}

/** The unit's files say something that systemd refuses. */
export function isMalformed(fact: UnitFact): boolean {
  return fact.loadState === "bad-setting" || fact.loadState === "error";
}
