import type { UnitFact } from "../model/node-facts.ts";
import type { CompareContext, Declared, Trigger } from "./contract.ts";
import { declaredPath } from "./declared-path.ts";
import { environmentFiles, matchesGlob, readUnitSettings } from "./unit-settings.ts";

/** Of a unit's record, what decides when it is restarted. */
export interface TriggeredUnit {
  readonly name: string;
  readonly user?: string | undefined;
  readonly state?: "started" | "stopped" | undefined;
  readonly unit_file?: string | undefined;
  readonly restart_on: readonly string[];
  readonly reload_on: readonly string[];
}

/** Where the managers look for units (systemd.unit(5)). */
const SYSTEM_FOLDERS = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map((top) => `${top}/systemd/system`);
const USER_FOLDERS = ["/etc", "/run", "/usr/local/share", "/usr/local/lib", "/usr/share", "/usr/lib", "/lib"].map(
  (top) => `${top}/systemd/user`,
);

/**
 * What a change of `other` asks of the unit (DESIGN §3.2): what it lists, else a restart for its own unit files and
 * EnvironmentFile=. A unit that is not declared started is left as it is.
 */
export function triggerOf(
  unit: TriggeredUnit,
  role: string,
  other: Declared,
  fact: UnitFact | undefined,
  siblings: readonly Declared[],
): Trigger | null {
  if (unit.state !== "started") return null;
  const named = { name: unit.name, user: unit.user ?? null };
  const sameRole = other.role === role;
  if (sameRole && unit.restart_on.includes(other.record.id)) return { unit: named, how: "restart" };
  if (sameRole && unit.reload_on.includes(other.record.id)) return { unit: named, how: "reload" };
  const path = declaredPath(other);
  if (path === null) return null;
  if (isReadAtStart(path, unit, fact, siblings)) return { unit: named, how: "restart" };
  return sameRole && isUnseen(unit, fact, siblings) && standsAbove(other, unit, siblings)
    ? { unit: named, how: "restart" }
    : null;
}

/** Restarts and reloads that become due in this run; null when none does. A restart covers every reload. */
export function dueInThisRun(
  unit: TriggeredUnit,
  role: string,
  fact: UnitFact | undefined,
  context: CompareContext,
): { how: "restart" | "reload"; because: readonly string[] } | null {
  const due = context.siblings
    .filter((sibling) => context.changingIds.has(sibling.record.id))
    .flatMap((sibling) => {
      const trigger = triggerOf(unit, role, sibling, fact, context.siblings);
      return trigger === null ? [] : [{ how: trigger.how, id: sibling.record.id, path: declaredPath(sibling) }];
    });
  const known = new Set(due.map(({ path }) => path));
  const elsewhere =
    unit.state !== "started"
      ? []
      : changingPaths(context).filter((path) => !known.has(path) && isReadAtStart(path, unit, fact, context.siblings));
  const because = [...due.map(({ id }) => id), ...elsewhere.map((path) => `file:${path}`)];
  if (because.length === 0) return null;
  return { how: elsewhere.length > 0 || due.some(({ how }) => how === "restart") ? "restart" : "reload", because };
}

/** The unit's own file or one of its drop-ins. */
export function isOwnUnitFile(path: string, unit: TriggeredUnit, fact: UnitFact | undefined): boolean {
  if (path === unit.unit_file || (fact !== undefined && fact.fragmentPath !== "" && path === fact.fragmentPath))
    return true;
  const folder = path.slice(0, path.lastIndexOf("/"));
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (isUnitFolder(folder, unit)) return fileNames(unit.name).includes(file);
  const above = folder.slice(0, folder.lastIndexOf("/"));
  const dropIns = folder.slice(folder.lastIndexOf("/") + 1);
  return file.endsWith(".conf") && isUnitFolder(above, unit) && dropInFolders(unit.name).includes(dropIns);
}

/** Own unit files among the resources of the role. */
export function ownUnitFiles(
  unit: TriggeredUnit,
  fact: UnitFact | undefined,
  siblings: readonly Declared[],
): readonly Declared[] {
  return siblings.filter((sibling) => {
    const path = declaredPath(sibling);
    return path !== null && isOwnUnitFile(path, unit, fact);
  });
}

/**
 * The unit comes with a package that is not installed yet: which files it reads is not known, and the package may start it
 * before they are written. So it counts as reading every file above it, this once.
 */
function isUnseen(unit: TriggeredUnit, fact: UnitFact | undefined, siblings: readonly Declared[]): boolean {
  if (fact === undefined || !fact.reachable || fact.loadState !== "not-found") return false;
  return ownUnitFiles(unit, fact, siblings).length === 0;
}

function standsAbove(other: Declared, unit: TriggeredUnit, siblings: readonly Declared[]): boolean {
  const isUnit = ({ record }: Declared): boolean =>
    record.type === "systemd_unit" && "name" in record && record.name === unit.name;
  const place = siblings.findIndex(isUnit);
  const package_ = siblings.findIndex(({ record }) => record.type === "package");
  const own = siblings.findIndex(({ record }) => record.id === other.record.id);
  return other.content !== null && package_ !== -1 && package_ < place && own !== -1 && own < place;
}

/** Whether the unit, when it starts, reads what stands at a path. Of one whose files nobody has seen yet, see {@link isUnseen}. */
function isReadAtStart(
  path: string,
  unit: TriggeredUnit,
  fact: UnitFact | undefined,
  siblings: readonly Declared[],
): boolean {
  if (isOwnUnitFile(path, unit, fact)) return true;
  const declared = ownUnitFiles(unit, fact, siblings).flatMap(({ content }) =>
    content === null ? [] : environmentFiles(readUnitSettings(content), unit.name),
  );
  return [...declared, ...(fact?.environmentFiles ?? [])].some((pattern) => matchesGlob(path, pattern));
}

function changingPaths(context: CompareContext): readonly string[] {
  return [...context.changing].flatMap((claim) => (claim.startsWith("path:") ? [claim.slice("path:".length)] : []));
}

function isUnitFolder(folder: string, unit: TriggeredUnit): boolean {
  if (unit.user === undefined) return SYSTEM_FOLDERS.includes(folder);
  return (
    USER_FOLDERS.includes(folder) ||
    folder.endsWith("/.config/systemd/user") ||
    folder.endsWith("/.local/share/systemd/user")
  );
}

/** `a@b.service` is read from `a@.service` when it has no file of its own. */
function fileNames(unit: string): readonly string[] {
  const template = unit.replace(/@.+(?=\.[a-z]+$)/, "@");
  return template === unit ? [unit] : [unit, template];
}

/** `a-b.service` also reads `a-.service.d` and `service.d` (systemd.unit(5)). */
function dropInFolders(unit: string): readonly string[] {
  const suffix = unit.slice(unit.lastIndexOf(".") + 1);
  const stem = unit.slice(0, unit.lastIndexOf(".")).replace(/@.*$/, "");
  const prefixes = [...stem.matchAll(/-/g)].map(({ index }) => `${stem.slice(0, index + 1)}.${suffix}`);
  return [...fileNames(unit), ...prefixes, suffix].map((name) => `${name}.d`);
}
