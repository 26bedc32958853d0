import { z } from "zod";
import type { ResourceType } from "../../resources/contract.ts";
import { forEditors } from "./json-schemas.ts";

/** A key of a resource, as a person needs to know it. */
export interface ResourceField {
  readonly key: string;
  /** In words: `text`, `true or false`, `present or absent`, `list of text`. */
  readonly kind: string;
  /** As it would be written; null: none. */
  readonly fallback: string | null;
  readonly required: boolean;
  readonly meaning: string;
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly items?: Property;
}

/** The keys of a type, `type` itself apart, in the order of its schema. The same source as schemas/role.json. */
export function resourceFields(type: Pick<ResourceType, "schema">): readonly ResourceField[] {
  const options = { io: "input", target: "draft-7", override: forEditors } as const;
  const { properties = {}, required = [] } = z.toJSONSchema(type.schema, options);
  return Object.entries(properties as Record<string, Property>)
    .filter(([key]) => key !== "type")
    .map(([key, property]) => ({
      key,
      kind: kindOf(property),
      fallback: property.default === undefined ? null : written(property.default),
      required: required.includes(key),
      meaning: property.description ?? "",
    }));
}

function kindOf(property: Property): string {
  if (property.type === "boolean") return "true or false";
  if (property.enum !== undefined) return property.enum.join(" or ");
  if (property.type === "array") return `list of ${kindOf(property.items ?? {})}`;
  return property.type === "object" ? "map" : "text";
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
