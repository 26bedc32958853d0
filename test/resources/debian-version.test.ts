import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareDebianVersions } from "../../src/resources/debian-version.ts";

describe("the order of Debian versions", () => {
  it.each([
    ["1.2", "1.10"],
    ["1.10", "2:0.9~rc1"],
    ["2:0.9~rc1", "2:0.9"],
    ["1.0~", "1.0"],
    ["1.0~~", "1.0~"],
    ["1.0", "1.0a"],
    ["1.0a", "1.0+"],
    ["1.0", "1.0-1"],
    ["1.0-1", "1.0-1+deb12u1"],
    ["1.0-1~bpo12", "1.0-1"],
    ["09", "10"],
    ["1.9999999999999999999", "1.99999999999999999999"],
  ])("%s is older than %s", (older, newer) => {
    expect(compareDebianVersions(older, newer)).toBeLessThan(0);
    expect(compareDebianVersions(newer, older)).toBeGreaterThan(0);
  });

  it.each([
    ["1.0", "1.0"],
    ["0:1.0", "1.0"],
    ["1.0-0", "1.0"],
    ["1.01", "1.1"],
  ])("%s and %s are the same", (one, other) => expect(compareDebianVersions(one, other)).toBe(0));

  it("is an order", () => {
    const version = fc.stringMatching(/^([0-9]:)?[0-9][0-9a-z.+~-]{0,6}$/);
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareDebianVersions(a, b))).toBe(-Math.sign(compareDebianVersions(b, a)) + 0);
        if (compareDebianVersions(a, b) <= 0 && compareDebianVersions(b, c) <= 0) {
          expect(compareDebianVersions(a, c)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });
});
