import fc from "fast-check";
import { expect, it } from "vitest";
import { multiSearch } from "../../src/kit/multi-search.ts";

it("covers exactly what looking for each pattern by itself would cover", () => {
  const word = (size: number) => fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: size });
  fc.assert(
    fc.property(fc.array(word(5), { maxLength: 6 }), word(60), (patterns, text) => {
      const expected = new Set<number>();
      for (const pattern of patterns) {
        for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) {
          for (let index = at; index < at + pattern.length; index++) expected.add(index);
        }
      }
      const covered = new Set<number>();
      for (const { start, end } of multiSearch(patterns)(text)) {
        expect(patterns).toContain(text.slice(start, end));
        for (let index = start; index < end; index++) covered.add(index);
      }
      expect([...covered].sort()).toEqual([...expected].sort());
    }),
    { numRuns: 500 },
  );
});

it("takes time linear in the text where patterns almost match everywhere", { timeout: 10_000 }, () => {
  const patterns = Array.from({ length: 50 }, (_, index) => `${"a".repeat(2000 + index)}b`);
  expect(multiSearch(patterns)(`${"a".repeat(1_000_000)}b`)).toEqual([{ start: 997_951, end: 1_000_001 }]);
});
