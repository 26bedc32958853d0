import type { ResourceTypeName } from "../model/drift-item.ts";
import { command } from "./command.ts";
import type { ResourceType } from "./contract.ts";
import { directory } from "./directory.ts";
import { env } from "./env.ts";
import { file } from "./file.ts";
import { packageType } from "./package.ts";
import { systemdUnit } from "./systemd-unit.ts";

/** The catalogue. Schema, docs and JSON Schema follow from it; a new type is one file and one line here. */
export const RESOURCE_CATALOGUE = [packageType, file, directory, systemdUnit, env, command] as const;

const BY_NAME = new Map<ResourceTypeName, ResourceType>(
  RESOURCE_CATALOGUE.map((type) => [type.type, type as unknown as ResourceType]),
);

/** The type of a record that came out of the schema, which admits only types of the catalogue. */
export function resourceType(name: ResourceTypeName): ResourceType {
  const type = BY_NAME.get(name);
  if (type === undefined) throw new Error(`resource type ${name} is not in the catalogue`);
  return type;
}
