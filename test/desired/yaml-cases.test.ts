import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { loadDesired } from "../../src/desired/load-desired.ts";
import type { Diagnostic } from "../../src/kit/diagnostic.ts";
import { FLEET, node, role, textFiles } from "./text-files.ts";

// A case is data (test/cases/yaml/*.yaml): one file of a fleet, and every diagnostic it must give, no more and no less,
// or what its values must be. A new case needs no code.
const expected = z.strictObject({
  code: z.string(),
  line: z.number(),
  column: z.number(),
  key: z.string(),
  severity: z.enum(["error", "warning"]).default("error"),
  /** Must be part of message or hint. */
  says: z.string().optional(),
});
const caseSchema = z.strictObject({
  name: z.string(),
  file: z.string().default("roster/nodes/web-01.yaml"),
  text: z.string().optional(),
  base64: z.string().optional(),
  /** The text, so many times over, between the other two. */
  repeated: z.strictObject({ before: z.string(), text: z.string(), times: z.number(), after: z.string() }).optional(),
  diagnostics: z.array(expected).default([]),
  /** Path into the desired state → its value. */
  values: z.record(z.string(), z.unknown()).optional(),
});
type Case = z.output<typeof caseSchema>;

const folder = new URL("../cases/yaml/", import.meta.url);
const suites = readdirSync(folder).map((name) => ({
  name,
  cases: z.array(caseSchema).parse(parse(readFileSync(new URL(name, folder), "utf8"))),
}));

describe.each(suites)("$name", ({ cases }) => {
  it.each(cases)("$name", (one) => {
    if (one.diagnostics.length === 0 && one.values === undefined) throw new Error("the case expects nothing");
    const fleet = {
      "roster/fleet.yaml": FLEET,
      "roster/nodes/web-01.yaml": node("web-01"),
      "host-roles/web.yaml": role("web"),
    };
    const { state, diagnostics } = loadDesired(textFiles({ ...fleet, [one.file]: input(one) }));
    expect(diagnostics.map(place)).toEqual(
      one.diagnostics.map(({ says: _says, ...rest }) => ({ file: one.file, ...rest })),
    );
    for (const [index, { says }] of one.diagnostics.entries()) {
      const diagnostic = diagnostics[index];
      expect(diagnostic?.hint, "every diagnostic says what to do").toMatch(/\w/);
      if (says !== undefined) expect(`${diagnostic?.message}\n${diagnostic?.hint}`).toContain(says);
    }
    for (const [path, value] of Object.entries(one.values ?? {})) expect(valueAt(state, path), path).toEqual(value);
  });
});

function place({ code, severity, file, line, column, key }: Diagnostic) {
  return { code, severity, file, line, column, key };
}

function input({ text, base64, repeated }: Case): string | Uint8Array {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  if (repeated !== undefined) return repeated.before + repeated.text.repeat(repeated.times) + repeated.after;
  return text ?? "";
}

function valueAt(root: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, step) => {
    if (value instanceof Map) return value.get(step);
    return (value as Record<string, unknown> | null)?.[step];
  }, root);
}
