import { expect } from "vitest";
import { z } from "zod";
import type { LoadedDesired } from "../../src/desired/load-desired.ts";

/** A diagnostic as a case file has it. */
export const expectedDiagnostic = z.strictObject({
  file: z.string().optional(),
  code: z.string(),
  line: z.number(),
  column: z.number(),
  key: z.string(),
  severity: z.enum(["error", "warning"]).default("error"),
  /** Must be part of message or hint. */
  says: z.string().optional(),
});

/** Every diagnostic, no more and no less, each with something to do; then values by their path in the desired state. */
export function expectLoaded(
  { state, diagnostics }: LoadedDesired,
  expected: readonly z.output<typeof expectedDiagnostic>[],
  values: Readonly<Record<string, unknown>>,
  file: string,
): void {
  const places = diagnostics.map(({ message: _message, hint: _hint, ...place }) => place);
  expect(places).toEqual(expected.map(({ says: _says, ...place }) => ({ file, ...place })));
  for (const [index, { says }] of expected.entries()) {
    const diagnostic = diagnostics[index];
    expect(diagnostic?.hint, "every diagnostic says what to do").toMatch(/\w/);
    if (says !== undefined) expect(`${diagnostic?.message}\n${diagnostic?.hint}`).toContain(says);
  }
  for (const [path, value] of Object.entries(values)) expect(valueAt(state, path), path).toEqual(value);
}

function valueAt(root: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, step) => {
    if (value instanceof Map) return value.get(step);
    return (value as Record<string, unknown> | null)?.[step];
  }, root);
}
