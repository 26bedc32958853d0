import { describe, expect, it } from "vitest";
import { parsePending, pendingFile, pendingLine } from "../../src/shell/pending-record.ts";

const WEB = { name: "web.service", user: null };

describe("pending records", () => {
  it("round-trip, ids of any characters included, in one line of ASCII", () => {
    const record = { how: "restart", because: ['file:/etc/wéb\n"x"', "env:😀"] } as const;
    const line = pendingLine(WEB, record);
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    expect(parsePending([line])).toEqual(new Map([["web.service", record]]));
    const own = { name: "-.mount", user: "ops" };
    expect([...parsePending([pendingLine(own, { how: "reload", because: [] })]).keys()]).toEqual(["ops//-.mount"]);
  });

  it("no two units share a file, and none starts with a dash or leaves the folder", () => {
    expect(pendingFile(WEB)).toBe("pending/+web.service");
    expect(pendingFile({ name: "b.service", user: "a" })).toBe("pending/a+b.service");
    expect(pendingFile({ name: "-.mount", user: null })).toBe("pending/+-.mount");
  });

  it.each([
    "",
    "{}",
    "[]",
    "null",
    '{"unit":1}',
    '{"unit":"a","user":null,"how":"stop","because":[]}',
    '{"unit":"a"',
    "\xff",
  ])("leaves out %j", (line) => {
    expect(parsePending([line]).size).toBe(0);
  });
});
