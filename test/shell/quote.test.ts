import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quote } from "../../src/shell/quote.ts";
import { pipeInto, SHELLS } from "./real-shells.ts";

describe.each(SHELLS)("quote in %s %s", (...shell) => {
  it("stands for exactly the text", { timeout: 30_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({
            unit: fc.oneof(
              fc.constantFrom("'", '"', "\\", "\n", "$", "`", "!", "-", " ", "*", "~"),
              fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
            ),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        async (texts) => {
          const words = texts.map((text) => text.replaceAll("\0", ""));
          const { stdout } = await pipeInto(shell, `printf '%s|' ${words.map(quote).join(" ")}\n`);
          expect(Buffer.from(stdout, "latin1").toString()).toBe(words.map((word) => `${Buffer.from(word)}|`).join(""));
        },
      ),
      { numRuns: 60 },
    ),
  );
});

it("refuses what no argument can hold", () => {
  expect(() => quote("a\0b")).toThrow("NUL");
});
