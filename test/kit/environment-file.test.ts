import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEnvironmentFile } from "../../src/kit/environment-file.ts";
import { ENVIRONMENT_CASES } from "./environment-file-cases.ts";

describe("parseEnvironmentFile", () => {
  it.each(ENVIRONMENT_CASES.map((each) => [each.what, each] as const))(
    "reads %s",
    (_what, { file, entries, oddities }) => {
      const reading = parseEnvironmentFile(file);
      if (reading.kind === "refused") expect(entries).toBeNull();
      else {
        expect(reading.entries.map(({ name, value }) => [name, value])).toEqual(
          Object.entries(entries ?? { refused: "" }),
        );
        expect(reading.oddities.map(({ code }) => code)).toEqual(oddities ?? []);
      }
    },
  );

  it("says on which line things begin", () => {
    expect(parseEnvironmentFile('# c\nA="1\n2"\r\n\nB="3" x\nC\n2=4\nA=5\n# \\\n')).toEqual({
      kind: "read",
      entries: [
        { name: "A", value: "5", line: 8 },
        { name: "B", value: "3x", line: 5 },
      ],
      oddities: [
        expect.objectContaining({ code: "text-beside-quote", line: 5 }),
        expect.objectContaining({ code: "no-assignment", line: 6 }),
        expect.objectContaining({ code: "invalid-name", line: 7 }),
        expect.objectContaining({ code: "duplicate-name", line: 8 }),
        expect.objectContaining({ code: "comment-continues", line: 9 }),
      ],
    });
    expect(parseEnvironmentFile("A=1\nB=\0\n")).toMatchObject({ kind: "refused", code: "nul", line: 2 });
    expect(parseEnvironmentFile("A=1\n\nB=\ufdd0\n")).toMatchObject({ kind: "refused", code: "not-text", line: 3 });
  });

  it("never repeats a value in what it complains about", () => {
    const text = 'S3CR3T\nA="S3CR3T" S3CR3T\nS3CR3T\\=S3CR3T\n# S3CR3T\\\nA=S3CR3T\nB="S3CR3T';
    const reading = parseEnvironmentFile(text);
    expect(reading.kind === "read" && reading.oddities.length).toBe(6);
    expect(JSON.stringify(reading.kind === "read" && reading.oddities)).not.toContain("S3CR3T");
    expect(JSON.stringify(parseEnvironmentFile("A=S3CR3T\ufdd0"))).not.toContain("S3CR3T");
  });

  it("answers whatever it is given, and keeps names apart and valid", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("A", "B", "1", "=", "'", '"', "\\", "#", ";", " ", "\t", "\n", "\r", "$", "é"),
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), (text) => {
        const reading = parseEnvironmentFile(text);
        if (reading.kind === "refused") return;
        const names = reading.entries.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
      }),
      { numRuns: 1000 },
    );
  });
});
