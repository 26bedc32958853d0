import type { ImaginedNeeds, ImaginedPackage } from "../model/imagined-machine.ts";
import { type UnitName, unitKey } from "../model/node-question.ts";
import type { Declared } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";

/** A role, as far as it says what is on a machine. */
interface Declarations {
  readonly resources: readonly Declared[];
}

/**
 * What a machine needs so that `before` (what it is taken to have proved) can be made so on it and `after` be compared with
 * it. Pure; see {@link ImaginedNeeds} for what is taken for granted.
 */
export function imaginedNeeds(
  { name, machineId }: Pick<ImaginedNeeds, "name" | "machineId">,
  before: readonly Declarations[],
  after: readonly Declarations[],
): ImaginedNeeds {
  const known = before.flatMap((role) => role.resources);
  const wanted = after.flatMap((role) => role.resources);
  const all = [...known, ...wanted];
  const claimed = new Set(known.flatMap(claimsOf));
  /** Said to be gone by what comes, and nothing was said of it before. */
  const leaving = wanted.filter((resource) => isToGo(resource) && !claimsOf(resource).some((one) => claimed.has(one)));
  const units = unitSources([...before, ...after]);
  const accounts = all.map(({ record }) => field(record, "owner") ?? field(record, "user")).filter(isText);
  return {
    name,
    machineId,
    packages: packagesOf(all, leaving, units.packages),
    folders: foldersOf(all, leaving),
    files: leaving.filter(({ record }) => record.type === "file" || record.type === "env").map(pathOf),
    units: units.own,
    running: leaving.filter(({ record }) => record.type === "systemd_unit").map(unitOf),
    users: sorted(accounts.filter(isName)),
    managers: sorted(
      all.filter(({ record }) => record.type === "systemd_unit").flatMap((one) => unitOf(one).user ?? []),
    ),
    groups: sorted([...all.map(({ record }) => field(record, "group")).filter(isText), ...accounts].filter(isName)),
  };
}

function claimsOf({ record }: Declared): readonly string[] {
  return resourceType(record.type).claims(record);
}

function isToGo({ record }: Declared): boolean {
  if (record.type !== "systemd_unit") return field(record, "state") === "absent";
  return field(record, "state") === "stopped" || field(record, "enabled") === "false";
}

function packagesOf(
  all: readonly Declared[],
  leaving: readonly Declared[],
  units: ReadonlyMap<string, readonly UnitName[]>,
): ImaginedPackage[] {
  const packages = all.filter(({ record }) => record.type === "package");
  const gone = new Set(leaving.map(({ record }) => field(record, "name")));
  return sorted(packages.map(({ record }) => field(record, "name") ?? "")).map((name) => {
    const named = packages.filter(({ record }) => field(record, "name") === name);
    const versions = named.map(({ record }) => field(record, "version")).filter(isText);
    return {
      name,
      versions: sorted(versions.filter((version) => version !== "present")),
      units: units.get(name) ?? [],
      installed: gone.has(name),
    };
  });
}

/** Of everything that leads to a declared path, what nobody declares; and what is to be taken away as a folder. */
function foldersOf(all: readonly Declared[], leaving: readonly Declared[]): string[] {
  const declared = new Set(all.filter(({ record }) => record.type === "directory").map(pathOf));
  const paths = all.flatMap(({ record }) => ["path", "unit_file"].map((key) => field(record, key)).filter(isText));
  const parents = paths.map(folderOf).filter((folder) => !declared.has(folder));
  const removed = leaving.filter(({ record }) => record.type === "directory").map(pathOf);
  // What stands in a declared folder is there only once that folder is.
  const free = parents.filter((folder) => ![...declared].some((other) => folder.startsWith(`${other}/`)));
  return sorted([...free, ...removed]);
}

interface UnitSources {
  readonly own: readonly UnitName[];
  /** By package. */
  readonly packages: ReadonlyMap<string, readonly UnitName[]>;
}

/**
 * Who brings a unit: a declared file of it; else the package above it in its role that has its name, or the one nearest above;
 * else the machine itself. It is a guess, and only about what is not installed yet.
 */
function unitSources(roles: readonly Declarations[]): UnitSources {
  const files = new Set(roles.flatMap((role) => role.resources.map(pathOf)).map(lastPart));
  const packages = new Map<string, UnitName[]>();
  const own = new Map<string, UnitName>();
  for (const { resources } of roles) {
    for (const [place, resource] of resources.entries()) {
      if (resource.record.type !== "systemd_unit") continue;
      const unit = unitOf(resource);
      if (fileNames(unit.name).some((file) => files.has(file))) continue;
      const above = resources.slice(0, place).filter(({ record }) => record.type === "package");
      const names = above.map(({ record }) => field(record, "name") ?? "");
      const stem = unit.name.replace(/(@.*)?\.[a-z]+$/, "");
      const bringer = unit.user === null ? (names.find((name) => name === stem) ?? names.at(-1)) : undefined;
      if (bringer === undefined) own.set(unitKey(unit), unit);
      else packages.set(bringer, [...(packages.get(bringer) ?? []), unit]);
    }
  }
  return { own: [...own.values()], packages };
}

/** `a@b.service` may be read from `a@.service`. */
function fileNames(unit: string): readonly string[] {
  return [unit, unit.replace(/@.+(?=\.[a-z]+$)/, "@")];
}

function unitOf({ record }: Declared): UnitName {
  return { name: field(record, "name") ?? "", user: field(record, "user") ?? null };
}

function pathOf({ record }: Declared): string {
  return field(record, "path") ?? "";
}

/** A scalar of a record, whatever its type is. */
function field(record: object, key: string): string | undefined {
  const value = (record as Readonly<Record<string, unknown>>)[key];
  return value === undefined || typeof value === "object" ? undefined : String(value);
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

/** Numbers need no account. */
function isName(account: string): boolean {
  return !/^\d+$/.test(account);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
