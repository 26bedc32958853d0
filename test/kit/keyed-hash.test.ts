import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { HASH_KEY_SIZE, keyedHash } from "../../src/kit/keyed-hash.ts";

const key = fc.uint8Array({ minLength: HASH_KEY_SIZE, maxLength: HASH_KEY_SIZE });

it("is the first half of HMAC-SHA-256, as another implementation computes it", () => {
  fc.assert(
    fc.property(key, fc.string({ unit: "grapheme" }), (secret, value) => {
      const expected = createHmac("sha256", secret).update(value).digest("hex").slice(0, 32);
      expect(keyedHash(secret, value)).toBe(`hmac:${expected}`);
    }),
  );
});

it("says the same of a value only under the same key", () => {
  const [one, other] = [new Uint8Array(HASH_KEY_SIZE), new Uint8Array(HASH_KEY_SIZE).fill(1)];
  expect(keyedHash(one, "1234")).toBe(keyedHash(one, "1234"));
  expect(keyedHash(one, "1234")).not.toBe(keyedHash(other, "1234"));
  expect(keyedHash(one, "1234")).not.toBe(keyedHash(one, "1235"));
});

it("refuses a key of another size, which could be a guessable one", () => {
  expect(() => keyedHash(new Uint8Array(0), "x")).toThrow("32 bytes, not 0");
});
