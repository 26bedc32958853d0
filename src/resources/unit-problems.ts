import type { Declared, Problem, ResourceRecord } from "./contract.ts";
import { declaredPath, isDeclaredPresent } from "./declared-path.ts";
import { readUnitSettings } from "./unit-settings.ts";
import { isOwnUnitFile, type TriggeredUnit, triggerOf } from "./unit-triggers.ts";

type UnitDeclaration = ResourceRecord & TriggeredUnit & { readonly enabled?: boolean | undefined };

/** Settings of [Install] that let a unit be enabled. */
const INSTALL = ["WantedBy", "RequiredBy", "UpheldBy", "Alias", "Also"].map((key) => `Install.${key}`);

/** What the schema of a unit cannot say (DESIGN §3.2). */
export function unitProblems(resource: Declared<UnitDeclaration>, siblings: readonly Declared[]): readonly Problem[] {
  const place = siblings.findIndex((sibling) => sibling.record.id === resource.record.id);
  const earlier = place === -1 ? siblings : siblings.slice(0, place);
  const later = place === -1 ? [] : siblings.slice(place + 1);
  return [
    ...nameProblems(resource.record),
    ...listProblems(resource.record, siblings),
    ...orderProblems(resource, siblings, later),
    ...unitFileProblems(resource.record, earlier),
    ...installProblems(resource.record, siblings),
  ];
}

function nameProblems(record: UnitDeclaration): readonly Problem[] {
  const problems: Problem[] = [];
  if (/@\.[a-z]+$/.test(record.name)) {
    const hint = `name an instance, such as ${record.name.replace("@", "@main")}`;
    problems.push(error("template-unit", "name", `${record.name} is a template, which cannot run itself`, hint));
  }
  if (record.state === undefined && record.enabled === undefined) {
    const hint = "write state: started or stopped, enabled: true or false, or both";
    problems.push(error("nothing-declared", "", `nothing is declared of ${record.name}`, hint));
  }
  return problems;
}

function listProblems(record: UnitDeclaration, siblings: readonly Declared[]): readonly Problem[] {
  const ids = new Set(siblings.map((sibling) => sibling.record.id));
  return (["restart_on", "reload_on"] as const).flatMap((list) => {
    if (record[list].length > 0 && record.state !== "started") {
      const message = `${list} needs state: started, since a unit that need not run is not restarted`;
      return [error("trigger-without-start", list, message, `write state: started, or leave ${list} out`)];
    }
    return record[list].flatMap((id, index) => {
      if (ids.has(id) && id !== record.id) return [];
      const message =
        id === record.id ? "a unit cannot be its own trigger" : `no resource of this role has the id ${id}`;
      return [error("unknown-resource", `${list}.${index}`, message, "name the id of a resource above in this role")];
    });
  });
}

/** What is changed after the unit was restarted would need a second restart. */
function orderProblems(
  resource: Declared<UnitDeclaration>,
  siblings: readonly Declared[],
  later: readonly Declared[],
): readonly Problem[] {
  const { record, role } = resource;
  return later
    .filter((other) => triggerOf(record, role, other, undefined, siblings) !== null)
    .map(({ record: { id } }) => {
      const message = `${id} stands below ${record.name}, which reads it when it starts`;
      return error("trigger-after-unit", "name", message, `move ${record.id} below ${id}`);
    });
}

/** `unit_file` is a file of this role, or one that a package above it ships (DESIGN §3.2 [over]). */
function unitFileProblems(record: UnitDeclaration, earlier: readonly Declared[]): readonly Problem[] {
  if (record.unit_file === undefined) return [];
  const present = earlier.filter(isDeclaredPresent);
  const known = present.some((other) => other.record.type === "package" || declaredPath(other) === record.unit_file);
  if (known) return [];
  const message = `${record.unit_file} is no file above in this role, and no package above could ship it`;
  return [
    error("broken-unit-file", "unit_file", message, "declare the file, or the package that ships it, above the unit"),
  ];
}

/** The role ships the unit's file, so it can be said now that enabling would never change anything (cases.md 8). */
function installProblems(record: UnitDeclaration, siblings: readonly Declared[]): readonly Problem[] {
  if (record.enabled !== true) return [];
  const fragment = siblings.find((sibling) => {
    const path = declaredPath(sibling);
    return (
      sibling.content !== null && path !== null && !path.endsWith(".conf") && isOwnUnitFile(path, record, undefined)
    );
  });
  if (fragment === undefined || fragment.content === null) return [];
  const settings = readUnitSettings(fragment.content);
  if (INSTALL.some((key) => (settings.get(key) ?? []).length > 0)) return [];
  const hint = "add an [Install] section with WantedBy=, or leave enabled out";
  return [error("not-installable", "enabled", `${fragment.record.id} has no [Install] section to enable`, hint)];
}

function error(code: string, key: string, message: string, hint: string): Problem {
  return { code, severity: "error", key, message, hint };
}
