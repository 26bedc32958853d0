import { z } from "zod";
import { name, positiveInteger, text } from "../../model/scalar.ts";
import { RESOURCE_CATALOGUE } from "../../resources/index.ts";
import { rolloutOverrides } from "./rollout.ts";

const ROLE_KEYS = {
  role: name,
  version: positiveInteger,
  description: text,
  requires: z.array(name).default([]),
  mutually_exclusive: z.array(name).default([]),
  mode: z.enum(["enforce", "observe"]).default("enforce"),
  risk: z.enum(["risky", "safe"]).default("risky"),
  on_release: z.enum(["keep", "remove"]).default("keep"),
  rollout: rolloutOverrides,
};

/**
 * The top of `host-roles/<role>.yaml` (host-state §2, DESIGN §3.2). Resources are read one by one with the schema of
 * their type, so that a wrong one is a finding about itself and not about six alternatives.
 */
export const roleSchema = z.strictObject({ ...ROLE_KEYS, resources: z.array(z.unknown()) });

export type RoleKeys = z.output<typeof roleSchema>;

type Records = readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]];

/** The same file in one schema, for JSON Schema: resources are the catalogue's types, told apart by `type`. */
export const wholeRoleSchema = z.strictObject({
  ...ROLE_KEYS,
  // Every type's schema is an object with a literal `type`; the catalogue's common type cannot say so.
  resources: z.array(z.discriminatedUnion("type", RESOURCE_CATALOGUE.map((type) => type.schema) as unknown as Records)),
});
