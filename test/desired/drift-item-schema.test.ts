import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { driftItemSchema, RESOURCE_TYPES, SEVERITIES, VERBS } from "../../src/model/drift-item.ts";

const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const source = ajv.compile(JSON.parse(readFileSync("schemas/drift-item.v1.json", "utf8")));

const json = fc.jsonValue({ maxDepth: 2 });
const moments = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
  .chain((date) => fc.constantFrom("Z", "+02:00", "-11:30").map((zone) => date.toISOString().replace("Z", zone)));
const good = fc.record(
  {
    host: fc.string(),
    role: fc.string(),
    resource: fc.record(
      { type: fc.constantFrom(...RESOURCE_TYPES), id: fc.string(), more: json },
      { requiredKeys: ["type", "id"] },
    ),
    declared: json,
    observed: json,
    action_to_apply: fc.record(
      { verb: fc.constantFrom(...VERBS), params: fc.dictionary(fc.string(), json), more: json },
      { requiredKeys: ["verb"] },
    ),
    severity: fc.constantFrom(...SEVERITIES),
    idempotent: fc.boolean(),
    discovered_at: moments,
    more: json,
  },
  { requiredKeys: ["host", "role", "resource", "declared", "observed", "action_to_apply", "severity"] },
);

const PLACES = [
  ["host"],
  ["role"],
  ["resource"],
  ["resource", "type"],
  ["resource", "id"],
  ["declared"],
  ["observed"],
  ["action_to_apply"],
  ["action_to_apply", "verb"],
  ["action_to_apply", "params"],
  ["severity"],
  ["idempotent"],
  ["discovered_at"],
] as const;
const wrongMoments = fc.constantFrom(
  "",
  "now",
  "2026-02-30T00:00:00Z",
  "2026-01-01",
  "2026-01-01T25:00:00Z",
  "2026-01-01T00:00:00",
  "1e3",
);

/** A good item with one place changed to anything at all, or taken out. */
const changed = fc
  .tuple(good, fc.constantFrom(...PLACES), fc.oneof(json, wrongMoments, fc.constant(undefined)))
  .map(([item, place, value]) => withChange(structuredClone(item), place, value));

function withChange(item: object, place: readonly string[], value: unknown): unknown {
  const last = place.at(-1) ?? "";
  const parent = place
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, item as Record<string, unknown>);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return item;
}

describe("the source's drift-item.v1.json and ours", () => {
  it("accept the same items", () => {
    fc.assert(
      fc.property(good, (item) => {
        expect([source(item), driftItemSchema.safeParse(item).success]).toEqual([true, true]);
      }),
    );
  });

  it("give the same verdict on items with one thing wrong", () => {
    let refused = 0;
    fc.assert(
      fc.property(changed, (item) => {
        const verdict = source(item);
        if (!verdict) refused++;
        expect(driftItemSchema.safeParse(item).success, JSON.stringify(item)).toBe(verdict);
      }),
      { numRuns: 2000 },
    );
    // Otherwise the generator makes nothing wrong, and the comparison says nothing.
    expect(refused).toBeGreaterThan(500);
  });

  it("give the same verdict on what is no item at all", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(driftItemSchema.safeParse(value).success).toBe(source(value));
      }),
    );
  });
});
