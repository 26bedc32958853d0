import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Diagnostic, hasErrors, sortDiagnostics } from "../../src/kit/diagnostic.ts";
import { sha256Hex } from "../../src/kit/digest.ts";
import { parseDuration } from "../../src/kit/duration.ts";
import { groupBy } from "../../src/kit/group-by.ts";
import { stableJson } from "../../src/kit/stable-json.ts";

describe("sha256Hex", () => {
  it("says what OpenSSL says, of bytes and of a text's UTF-8", () => {
    const openssl = (data: Uint8Array | string) => createHash("sha256").update(data).digest("hex");
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => sha256Hex(bytes) === openssl(bytes)));
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => sha256Hex(text) === openssl(text)));
  });
});

describe("parseDuration", () => {
  it.each([
    ["250ms", 250],
    ["10s", 10_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["24h", 86_400_000],
    ["2d", 172_800_000],
    ["0s", 0],
  ])("%s is %d ms", (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each(["", "10", "s", "1.5h", "-1s", "10 s", "1S", "10s ", "1w"])("%j is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe("stableJson", () => {
  it("has equal bytes for equal values, whatever the order of their keys", () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, shuffled(inner)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stableJson(shuffled(value))).toBe(stableJson(value));
      }),
    );
  });

  it("loses nothing", () => {
    const plain = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(plain, (value) => {
        expect(JSON.parse(stableJson(value, 2))).toEqual(value);
      }),
    );
  });

  it("sorts keys and keeps the order of lists", () => {
    expect(stableJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  });
});

describe("groupBy", () => {
  it("keeps the order of first members, and in a group that of the items", () => {
    expect([...groupBy(["b1", "a1", "b2"], (item) => item[0])]).toEqual([
      ["b", ["b1", "b2"]],
      ["a", ["a1"]],
    ]);
  });
});

describe("diagnostics", () => {
  const one = (file: string, line: number, code: string, severity: Diagnostic["severity"] = "error"): Diagnostic => {
    return { code, severity, file, line, column: 1, key: "", message: "", hint: "" };
  };

  it("stand in the order in which people read, and the same for the same set", () => {
    const sorted = [one("a", 1, "x"), one("a", 2, "w"), one("a", 2, "x"), one("a", 10, "x"), one("b", 1, "x")];
    fc.assert(
      fc.property(fc.shuffledSubarray(sorted, { minLength: sorted.length }), (shuffled) => {
        expect(sortDiagnostics(shuffled)).toEqual(sorted);
      }),
    );
  });

  it("have errors when one is no warning", () => {
    expect(hasErrors([])).toBe(false);
    expect(hasErrors([one("a", 1, "x", "warning")])).toBe(false);
    expect(hasErrors([one("a", 1, "x", "warning"), one("a", 1, "y")])).toBe(true);
  });
});
