import { z } from "zod";
import { boardSchema } from "../../model/board.ts";
import { planDocumentSchema } from "../../model/plan-document.ts";
import { rolloutDocumentSchema } from "../../model/rollout-document.ts";
import { fleetSchema } from "./fleet.ts";
import { nodeSchema } from "./node.ts";
import { wholeRoleSchema } from "./role.ts";

const SCHEMAS = [
  { file: "fleet.json", title: "roster/fleet.yaml", schema: fleetSchema },
  { file: "node.json", title: "roster/nodes/<name>.yaml", schema: nodeSchema },
  { file: "role.json", title: "host-roles/<role>.yaml", schema: wholeRoleSchema },
  { file: "board.v1.json", title: "what `rollcall board --json` prints", schema: boardSchema },
  { file: "plan.v1.json", title: "plan.v1, what `rollcall plan --json` prints", schema: planDocumentSchema },
  {
    file: "rollout.v1.json",
    title: "rollout.v1, what `rollcall rollout get --json` prints",
    schema: rolloutDocumentSchema,
  },
] as const;

/**
 * JSON Schemas (draft 7) of the files that people write and of the documents that tools read: file name → text. Of files
 * they say what may be written (`mode: "0644"`, `port: 22`), not what becomes of it, and know nothing of what holds across files.
 */
export function jsonSchemas(): ReadonlyMap<string, string> {
  return new Map(
    SCHEMAS.map(({ file, title, schema }) => {
      const { $schema, ...body } = z.toJSONSchema(schema, {
        io: "input",
        target: "draft-7",
        override: forEditors,
      });
      return [file, `${JSON.stringify({ $schema, title, ...body }, null, 2)}\n`];
    }),
  );
}

interface Property {
  type?: unknown;
  pattern?: string | undefined;
  default?: unknown;
}

/** What zod writes as it reads YAML, every scalar a text, becomes what editors and other languages' tools understand. */
export function forEditors({ jsonSchema }: { jsonSchema: Property }): void {
  portablePattern(jsonSchema);
  if (jsonSchema.type === "boolean" && typeof jsonSchema.default === "string")
    jsonSchema.default = jsonSchema.default === "true";
}

/** Classes such as `\p{Cc}` need a flag that other languages' tools do not set. */
function portablePattern(jsonSchema: Property): void {
  if (jsonSchema.pattern === undefined) return;
  jsonSchema.pattern = jsonSchema.pattern.replaceAll("\\p{Cc}", "\\u0000-\\u001f\\u007f-\\u009f");
}
