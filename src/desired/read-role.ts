import type { Diagnostic } from "../kit/diagnostic.ts";
import { RESOURCE_TYPES } from "../model/drift-item.ts";
import type { DesiredFiles } from "../ports.ts";
import type { Declared, ResourceType } from "../resources/contract.ts";
import { RESOURCE_CATALOGUE } from "../resources/index.ts";
import { problemAt } from "./problem-at.ts";
import { type Checked, checkAgainst } from "./schema/check.ts";
import { nearest } from "./schema/nearest.ts";
import { type RoleKeys, roleSchema } from "./schema/role.ts";
import { shippedContent } from "./shipped-content.ts";
import type { YamlSource } from "./yaml/read-yaml.ts";
import type { YamlValue } from "./yaml/values.ts";

/** A manifest as its file has it. */
export interface RoleFile extends Omit<RoleKeys, "resources"> {
  /** The resources without errors of their own. */
  readonly resources: readonly PlacedResource[];
  /** False when some resource was left out: then what is not here may still be meant. */
  readonly complete: boolean;
}

export interface PlacedResource {
  /** Its place in the file's list. */
  readonly index: number;
  readonly declared: Declared;
}

const TYPES = new Map<string, ResourceType>(
  RESOURCE_CATALOGUE.map((type) => [type.type, type as unknown as ResourceType]),
);

/** `role` is the file's stem: shipped files lie in the folder of that name. */
export function readRole(source: YamlSource, role: string, files: DesiredFiles): Checked<RoleFile> {
  const top = checkAgainst(roleSchema, source.value, source);
  const diagnostics: Diagnostic[] = [...top.diagnostics];
  const written = source.value.resources;
  const list: readonly YamlValue[] = Array.isArray(written) ? written : [];
  const resources = list.flatMap((value, index) => {
    const read = readResource(source, index, value, role, files);
    diagnostics.push(...read.diagnostics);
    return read.value ?? [];
  });
  if (top.value === null) return { value: null, diagnostics };
  return { value: { ...top.value, resources, complete: resources.length === list.length }, diagnostics };
}

function readResource(
  source: YamlSource,
  index: number,
  value: YamlValue,
  role: string,
  files: DesiredFiles,
): Checked<PlacedResource> {
  const path = ["resources", index];
  const type = typeOf(source, path, value);
  if ("code" in type) return { value: null, diagnostics: [type] };
  const { value: record, diagnostics } = checkAgainst(type.schema, value, source, path);
  if (record === null) return { value: null, diagnostics };
  const { content, problem } = shippedContent(record, role, files);
  if (problem !== null) return { value: null, diagnostics: [problemAt(source, [...path, "source"], "value", problem)] };
  return { value: { index, declared: { role, record, content } }, diagnostics: [] };
}

/** The type that reads a resource, or why there is none. */
function typeOf(source: YamlSource, path: (string | number)[], value: YamlValue): ResourceType | Diagnostic {
  const at = (part: "key" | "value", key: string[], code: string, message: string, hint: string): Diagnostic =>
    problemAt(source, [...path, ...key], part, { code, message, hint });
  const known = RESOURCE_CATALOGUE.map((type) => type.type);
  if (typeof value === "string" || Array.isArray(value)) {
    const what = typeof value === "string" ? "text" : "a list";
    return at(
      "value",
      [],
      "wrong-type",
      `a resource must be a map, not ${what}`,
      `Write - type: and one of ${known.join(", ")}.`,
    );
  }
  const name = (value as Record<string, YamlValue>).type;
  if (name === undefined)
    return at("key", ["type"], "missing-key", "type is missing", `Add type: with one of ${known.join(", ")}.`);
  if (typeof name !== "string")
    return at("value", ["type"], "wrong-type", "must be text", `Write one of ${known.join(", ")}.`);
  const type = TYPES.get(name);
  if (type !== undefined) return type;
  if ((RESOURCE_TYPES as readonly string[]).includes(name)) {
    const message = `resources of type ${name} are not available in this version of rollcall`;
    return at("value", ["type"], "resource-type-unavailable", message, `Available are ${known.join(", ")}.`);
  }
  const meant = nearest(name, RESOURCE_TYPES);
  const hint = meant === undefined ? `The types are ${RESOURCE_TYPES.join(", ")}.` : `Did you mean ${meant}?`;
  return at("value", ["type"], "unknown-resource-type", `there is no resource type ${JSON.stringify(name)}`, hint);
}
