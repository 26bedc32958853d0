import type { Diagnostic } from "../kit/diagnostic.ts";
import type { DesiredFiles } from "../ports.ts";
import type { Fleet } from "./desired-state.ts";
import { FLEET_FILE, fileKind, roleManifest } from "./layout.ts";
import { problemOf } from "./problem-at.ts";
import { type RoleFile, readRole } from "./read-role.ts";
import { type Checked, checkAgainst } from "./schema/check.ts";
import { fleetSchema } from "./schema/fleet.ts";
import { type NodeFile, nodeSchema } from "./schema/node.ts";
import { readYaml, type YamlSource } from "./yaml/read-yaml.ts";

/** A file that its own schema accepts. */
export interface Entry<Value> {
  /** The file's stem: the name by which others refer to it, whatever the file says. */
  readonly stem: string;
  readonly value: Value;
  readonly source: YamlSource;
}

/**
 * All files read one by one, before the rules that look across them. A file with errors is missing from the entries and
 * present among the names, so that one broken file is not also a hundred references to nothing.
 */
export interface Draft {
  readonly files: DesiredFiles;
  readonly fleet: Entry<Fleet> | null;
  /** By file name, sorted. */
  readonly nodes: readonly Entry<NodeFile>[];
  readonly roles: readonly Entry<RoleFile>[];
  readonly names: {
    readonly nodes: ReadonlySet<string>;
    readonly roles: ReadonlySet<string>;
    readonly profiles: ReadonlySet<string>;
  };
  readonly diagnostics: readonly Diagnostic[];
}

export function readDraft(files: DesiredFiles): Draft {
  const diagnostics: Diagnostic[] = [];
  const keep = <Value>(read: { value: Value; diagnostics: readonly Diagnostic[] }): Value => {
    diagnostics.push(...read.diagnostics);
    return read.value;
  };
  let fleet: Entry<Fleet> | null = null;
  const nodes: Entry<NodeFile>[] = [];
  const roles: Entry<RoleFile>[] = [];
  const names = { nodes: new Set<string>(), roles: new Set<string>(), profiles: new Set<string>() };
  for (const path of files.paths) {
    const file = fileKind(path);
    if (file.kind === "fleet")
      fleet = keep(readFile(files, path, "fleet", (source) => checkAgainst(fleetSchema, source.value, source)));
    if (file.kind === "profile") names.profiles.add(file.name);
    if (file.kind === "node") {
      names.nodes.add(file.name);
      const node = keep(readFile(files, path, file.name, (source) => checkAgainst(nodeSchema, source.value, source)));
      if (node !== null) nodes.push(node);
    }
    if (file.kind === "role") {
      names.roles.add(file.name);
      const role = keep(readRoleEntry(files, file.name));
      if (role !== null) roles.push(role);
    }
    if (file.kind === "stray") diagnostics.push(strayFile(path, file.hint));
  }
  if (!files.paths.includes(FLEET_FILE)) diagnostics.push(missingFleet());
  diagnostics.push(...(files.refused ?? []).map(({ path, reason }) => refusedFile(path, reason)));
  return { files, fleet, nodes, roles, names, diagnostics };
}

/** One role of a repository; its value is null when there is none, or none that can be read. */
export function readRoleEntry(files: DesiredFiles, role: string): Read<RoleFile> {
  const path = roleManifest(role);
  if (files.read(path) === undefined) return { value: null, diagnostics: [] };
  return readFile(files, path, role, (source) => readRole(source, role, files));
}

interface Read<Value> {
  readonly value: Entry<Value> | null;
  readonly diagnostics: readonly Diagnostic[];
}

function readFile<Value>(
  files: DesiredFiles,
  path: string,
  stem: string,
  check: (source: YamlSource) => Checked<Value>,
): Read<Value> {
  const content = files.read(path);
  if (content === undefined) throw new Error(`${files.origin} lists ${path} and cannot read it`);
  const { source, diagnostics } = readYaml(path, content);
  if (source === null) return { value: null, diagnostics };
  const checked = check(source);
  const value = checked.value === null ? null : { stem, value: checked.value, source };
  return { value, diagnostics: [...diagnostics, ...checked.diagnostics] };
}

function strayFile(path: string, hint: string): Diagnostic {
  return problemOf(path, { code: "stray-file", message: "nothing reads this file", hint });
}

function missingFleet(): Diagnostic {
  const hint = "Create it with `version: 2` and `generation: 1`.";
  return problemOf(FLEET_FILE, { code: "missing-file", message: `there is no ${FLEET_FILE}`, hint });
}

function refusedFile(path: string, message: string): Diagnostic {
  const hint = "Put a regular file there, or a link to one under roster/, host-roles/ or parcels/.";
  return problemOf(path, { code: "refused-file", message, hint });
}
