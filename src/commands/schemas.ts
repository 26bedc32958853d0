import { jsonSchemas } from "../desired/schema/json-schemas.ts";
import { type CommandResult, EXIT } from "./result.ts";

/**
 * `schemas [--write DIR]`: the JSON Schemas of the files that people write, generated from what reads them (DESIGN §3).
 * `write` is given a file name and its text; without it they are only listed.
 */
export async function runSchemas(
  write: ((file: string, text: string) => Promise<void>) | null,
): Promise<CommandResult> {
  const schemas = jsonSchemas();
  if (write !== null) for (const [file, text] of schemas) await write(file, text);
  const document = Object.fromEntries([...schemas].map(([file, text]) => [file, JSON.parse(text)]));
  return { exitCode: EXIT.ok, document, text: () => [...schemas.keys(), ""].join("\n") };
}
