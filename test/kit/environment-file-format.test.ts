import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEnvironmentFile } from "../../src/kit/environment-file.ts";
import { formatEnvironmentFile } from "../../src/kit/environment-file-format.ts";
import { inFolder, pipeInto, SHELLS } from "../shell/real-shells.ts";
import { environmentValue } from "./environment-values.ts";

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);

function formatted(vars: Iterable<readonly [string, string]>): string {
  const answer = formatEnvironmentFile(new Map(vars));
  if (answer.kind === "problems") throw new Error(JSON.stringify(answer.problems));
  return answer.text;
}

describe("formatEnvironmentFile", () => {
  it("writes plain values as they are and quotes the rest, in the order declared", () => {
    const vars = [
      ["Z", "info"],
      ["A", "https://x.example/a?b"],
      ["EMPTY", ""],
      ["PATHS", "/usr/bin:/bin"],
      ["PEM", "a\n'b'\\\n"],
      ["PRICE", '5$ `x` "y"'],
      ["constructor", "#"],
    ] as const;
    expect(formatted(vars)).toBe(
      'Z=info\nA="https://x.example/a?b"\nEMPTY=""\nPATHS=/usr/bin:/bin\nPEM="a\n\'b\'\\\\\n"\nPRICE="5\\$ \\`x\\` \\"y\\""\nconstructor="#"\n',
    );
  });

  it("is read back by our parser as it was, without oddities", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, environmentValue), { selector: ([key]) => key }), (vars) => {
        const reading = parseEnvironmentFile(formatted(vars));
        expect(reading.kind === "read" && reading.entries.map((entry) => [entry.name, entry.value])).toEqual(vars);
        expect(reading.kind === "read" && reading.oddities).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each(SHELLS)("is sourced by %s %s as it was", { timeout: 60_000 }, (...shell) =>
    inFolder((folder) =>
      fc.assert(
        fc.asyncProperty(fc.array(environmentValue, { minLength: 1, maxLength: 40 }), async (values) => {
          const path = join(folder, "vars.env");
          writeFileSync(path, formatted(values.map((value, index) => [`V${index}`, value])));
          const names = values.map((_value, index) => `"$V${index}"`).join(" ");
          const { stdout, stderr } = await pipeInto(shell, `. ${path}\nprintf '%s\\0' ${names}\n`);
          expect(stderr).toBe("");
          expect(Buffer.from(stdout, "latin1").toString().split("\0").slice(0, -1)).toEqual(values);
        }),
        { numRuns: 25 },
      ),
    ),
  );

  it.each([
    ["1A", "x", "invalid-name"],
    ["A-B", "x", "invalid-name"],
    ["", "x", "invalid-name"],
    ["A\n", "x", "invalid-name"],
    ["A", "S3CR3T\0", "nul"],
    ["A", "S3CR3T\ud800", "not-text"],
    ["A", "S3CR3T\ufffe", "not-text"],
    ["A", "S3CR3T\u{10ffff}", "not-text"],
    ["A", "é".repeat(65_535), "too-long"],
  ])("refuses %j with %s", (variable, value, code) => {
    const answer = formatEnvironmentFile(
      new Map([
        ["OK", "1"],
        [variable, value],
      ]),
    );
    expect(answer).toMatchObject({ kind: "problems", problems: [{ code, name: variable }] });
    expect(JSON.stringify(answer)).not.toContain("S3CR3T");
  });

  it("takes the longest that Linux takes", () => {
    expect(formatted([["A", "x".repeat(131_069)]]).length).toBe(131_072);
    const many = new Map(Array.from({ length: 9 }, (_, index) => [`V${index}`, "x".repeat(120_000)]));
    expect(formatEnvironmentFile(many)).toMatchObject({
      kind: "problems",
      problems: [{ code: "too-large", name: "" }],
    });
  });

  it("names every problem at once", () => {
    const answer = formatEnvironmentFile(
      new Map([
        ["1", ""],
        ["A", "\0"],
      ]),
    );
    expect(answer.kind === "problems" && answer.problems.map(({ code }) => code)).toEqual(["invalid-name", "nul"]);
  });
});
