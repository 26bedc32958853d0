import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runSchemas } from "../../src/commands/schemas.ts";
import { jsonSchemas } from "../../src/desired/schema/json-schemas.ts";

const schemas = jsonSchemas();
const validator = (file: string) => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  const validate = ajv.compile(JSON.parse(schemas.get(file) ?? ""));
  return (document: unknown) =>
    validate(document) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};
/** As an editor reads YAML: with the core schema, where 22 is a number. */
const asEditors = (path: string): unknown => parse(readFileSync(path, "utf8"));
const yamlFiles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => `${folder}/${name}`);

describe("schemas/", () => {
  it.each([...schemas])("%s is what the code says; `npm run schemas` writes it anew", (file, text) => {
    expect(readFileSync(`schemas/${file}`, "utf8")).toBe(text);
  });

  it.each<readonly [string, string]>([
    ["fleet.json", "roster/fleet.yaml"],
    ...yamlFiles("roster/nodes").map((path) => ["node.json", path] as const),
    ...yamlFiles("host-roles").map((path) => ["role.json", path] as const),
  ])("%s accepts %s as an editor reads it", (schema, path) => {
    expect(validator(schema)(asEditors(path))).toEqual([]);
  });

  it("tells an editor what is wrong", () => {
    expect(validator("fleet.json")({ version: 2, generation: 0, colour: "red" })).toEqual([
      " must NOT have additional properties",
      "/generation must be >= 1",
    ]);
    expect(validator("node.json")({ name: "A", class: "x", address: "y", enabled: "yes", port: "22" })).toEqual(
      expect.arrayContaining([
        expect.stringContaining("/name must match pattern"),
        "/enabled must be boolean",
        "/port must be integer",
      ]),
    );
    const wrong = { role: "a", version: 1, description: "d", resources: [{ type: "file", path: "/a", mode: 420 }] };
    expect(validator("role.json")(wrong)).toContain("/resources/0/mode must be string");
  });

  it("are written by the verb, each once", async () => {
    const written = new Map<string, string>();
    const { exitCode, document } = await runSchemas(async (file, text) => void written.set(file, text));
    expect([exitCode, [...written]]).toEqual([0, [...schemas]]);
    expect(Object.keys(document as object)).toEqual([
      "fleet.json",
      "node.json",
      "role.json",
      "board.v1.json",
      "plan.v1.json",
      "rollout.v1.json",
    ]);
  });
});
