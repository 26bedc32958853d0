import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { expectedDiagnostic, expectLoaded } from "./expected.ts";
import { FLEET, node, role, textFiles } from "./text-files.ts";

// A case is data (test/cases/yaml/*.yaml): one file of a fleet, and every diagnostic it must give, no more and no less,
// or what its values must be. A new case needs no code.
const caseSchema = z.strictObject({
  name: z.string(),
  file: z.string().default("roster/nodes/web-01.yaml"),
  text: z.string().optional(),
  base64: z.string().optional(),
  /** The text, so many times over, between the other two. */
  repeated: z.strictObject({ before: z.string(), text: z.string(), times: z.number(), after: z.string() }).optional(),
  diagnostics: z.array(expectedDiagnostic).default([]),
  /** Path into the desired state → its value. */
  values: z.record(z.string(), z.unknown()).default({}),
});
type Case = z.output<typeof caseSchema>;

const VALID = {
  "roster/fleet.yaml": FLEET,
  "roster/nodes/web-01.yaml": node("web-01"),
  "host-roles/web.yaml": role("web"),
};
const folder = new URL("../cases/yaml/", import.meta.url);
const suites = readdirSync(folder).map((name) => ({
  name,
  cases: z.array(caseSchema).parse(parse(readFileSync(new URL(name, folder), "utf8"))),
}));

describe.each(suites)("$name", ({ cases }) => {
  it.each(cases)("$name", (one) => {
    if (one.diagnostics.length + Object.keys(one.values).length === 0) throw new Error("the case expects nothing");
    const loaded = loadDesired(textFiles({ ...VALID, [one.file]: input(one) }));
    expectLoaded(loaded, one.diagnostics, one.values, one.file);
  });
});

function input({ text, base64, repeated }: Case): string | Uint8Array {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  if (repeated !== undefined) return repeated.before + repeated.text.repeat(repeated.times) + repeated.after;
  return text ?? "";
}
