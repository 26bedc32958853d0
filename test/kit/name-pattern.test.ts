import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namePattern } from "../../src/kit/name-pattern.ts";

describe("a pattern of names", () => {
  it.each([
    ["web-*", ["web-01", "web-"], ["web", "my-web-01"]],
    ["*-01", ["web-01", "-01"], ["web-011", "01"]],
    ["web-0?", ["web-01"], ["web-0", "web-010"]],
    ["*", ["a", ""], []],
    ["w*b*1", ["wb1", "web-01", "wbb1"], ["wb", "web-0", "1bw"]],
    ["a*a", ["aa", "aba"], ["a", "ab"]],
    ["a*ab", ["aab", "aabab"], ["ab", "aaba"]],
    ["?*?", ["ab", "abc"], ["a"]],
    ["web-01", ["web-01"], ["web-010", "web-0"]],
    ["a.c", ["a.c"], ["abc"]],
    ["[a-z]+", [], ["a", "abc"]],
    ["", [""], ["a"]],
  ])("%s", (pattern, fitting, others) => {
    const fits = namePattern(pattern);
    expect([fitting.filter(fits), others.filter(fits)]).toEqual([fitting, []]);
  });

  it("means what the same words mean as a regular expression", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "-", "*", "?"), maxLength: 8 });
    const names = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 10 });
    fc.assert(
      fc.property(letters, names, (pattern, name) => {
        const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
        expect(namePattern(pattern)(name)).toBe(expression.test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it("takes no longer for being nasty", () => {
    expect(namePattern(`${"*a".repeat(2000)}b`)("a".repeat(5000))).toBe(false);
  });
});
