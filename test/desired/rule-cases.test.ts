import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { expectedDiagnostic, expectLoaded } from "./expected.ts";
import { FLEET, textFiles } from "./text-files.ts";

// A case is data (test/cases/desired/*.yaml): the files of a fleet, and every diagnostic they give together, no more and
// no less. `fine: true` says that there is none. A new case needs no code.
const caseSchema = z.strictObject({
  name: z.string(),
  /** Path → text; a fleet.yaml is there without being named. */
  files: z.record(z.string(), z.string()),
  diagnostics: z.array(expectedDiagnostic.extend({ file: z.string() })).default([]),
  values: z.record(z.string(), z.unknown()).default({}),
  fine: z.literal(true).optional(),
});

const folder = new URL("../cases/desired/", import.meta.url);
const suites = readdirSync(folder).map((name) => ({
  name,
  cases: z.array(caseSchema).parse(parse(readFileSync(new URL(name, folder), "utf8"))),
}));

describe.each(suites)("$name", ({ cases }) => {
  it.each(cases)("$name", ({ files, diagnostics, values, fine }) => {
    if ((diagnostics.length === 0) !== (fine === true)) throw new Error("a case is fine or has diagnostics");
    const paths = { "roster/fleet.yaml": FLEET, ...files };
    expectLoaded(loadDesired(textFiles(paths)), diagnostics, values, "");
  });
});
