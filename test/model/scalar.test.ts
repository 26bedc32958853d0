import { describe, expect, it } from "vitest";
import type { z } from "zod";
import * as all from "../../src/model/scalar.ts";

const scalar = { ...all };

/** What a schema makes of a text; undefined when it refuses it. */
const read = (schema: z.ZodType, text: string): unknown => {
  const result = schema.safeParse(text);
  return result.success ? result.data : undefined;
};

const cases: readonly [keyof typeof scalar, readonly (readonly [string, unknown])[]][] = [
  [
    "text",
    [
      ["x", "x"],
      [" ", " "],
      ["", undefined],
    ],
  ],
  [
    "boolean",
    [
      ["true", true],
      ["false", false],
      ["yes", undefined],
      ["True", undefined],
      ["on", undefined],
      ["1", undefined],
    ],
  ],
  [
    "positiveInteger",
    [
      ["1", 1],
      ["42", 42],
      ["0", undefined],
      ["-1", undefined],
      ["1.0", undefined],
      ["1e3", undefined],
      ["010", undefined],
      ["9".repeat(16), undefined],
    ],
  ],
  [
    "fraction",
    [
      ["0", 0],
      ["0.25", 0.25],
      ["1", 1],
      ["1.0", 1],
      ["1.1", undefined],
      [".5", undefined],
      ["-0", undefined],
      ["50%", undefined],
    ],
  ],
  [
    "duration",
    [
      ["10s", 10_000],
      ["1h30m", 5_400_000],
      ["10", undefined],
      ["", undefined],
    ],
  ],
  [
    "name",
    [
      ["web-01", "web-01"],
      ["0", "0"],
      ["Web", undefined],
      ["-web", undefined],
      ["web/01", undefined],
      ["a".repeat(64), undefined],
    ],
  ],
  [
    "absolutePath",
    [
      ["/", "/"],
      ["/etc/motd", "/etc/motd"],
      ["/a b/'\"/ä/-x/\\", "/a b/'\"/ä/-x/\\"],
      ["/.hidden/...", "/.hidden/..."],
      ["etc/motd", undefined],
      ["/etc//motd", undefined],
      ["/etc/./motd", undefined],
      ["/etc/../motd", undefined],
      ["/etc/", undefined],
      ["/etc/..", undefined],
      ["/a\nb", undefined],
      ["/a\tb", undefined],
      ["/a\u007fb", undefined],
      ["", undefined],
    ],
  ],
  [
    "mode",
    [
      ["0644", "0644"],
      ["644", "0644"],
      ["4755", "4755"],
      ["04755", "4755"],
      ["0000", "0000"],
      ["000", "0000"],
      ["0o644", undefined],
      ["0888", undefined],
      ["64", undefined],
      ["00644", "0644"],
      ["u=rw", undefined],
    ],
  ],
  [
    "account",
    [
      ["root", "root"],
      ["www-data", "www-data"],
      ["_apt", "_apt"],
      ["1000", "1000"],
      ["machine$", "machine$"],
      ["-x", undefined],
      ["a:b", undefined],
      ["", undefined],
      ["a b", undefined],
    ],
  ],
  [
    "sha256",
    [
      ["a".repeat(64), "a".repeat(64)],
      ["A".repeat(64), undefined],
      ["a".repeat(63), undefined],
      [`sha256:${"a".repeat(64)}`, undefined],
    ],
  ],
  [
    "port",
    [
      ["22", 22],
      ["65535", 65_535],
      ["65536", undefined],
      ["0", undefined],
      ["022", undefined],
      ["22:22", undefined],
    ],
  ],
  [
    "hostAddress",
    [
      ["203.0.113.10", "203.0.113.10"],
      ["web-01.example.org", "web-01.example.org"],
      ["2001:db8::1", "2001:db8::1"],
      ["fe80::1%eth0", "fe80::1%eth0"],
      ["-oProxyCommand=x", undefined],
      ["[2001:db8::1]", undefined],
      ["deploy@web", undefined],
      ["web:22", undefined],
      ["a b", undefined],
      ["", undefined],
    ],
  ],
  [
    "moment",
    [
      ["2026-05-06", "2026-05-06"],
      ["2026-05-06T10:00:00Z", "2026-05-06T10:00:00Z"],
      ["2026-02-30", undefined],
      ["2026-05-06 10:00", undefined],
      ["2026-13-01", undefined],
      ["tomorrow", undefined],
    ],
  ],
  [
    "unitId",
    [
      ["role:edge", "role:edge"],
      ["parcel:2026-11-timeout-30", "parcel:2026-11-timeout-30"],
      ["agent:Scribe_1", "agent:Scribe_1"],
      ["edge", undefined],
      ["role:Edge", undefined],
      ["role:", undefined],
    ],
  ],
];

describe("scalars", () => {
  it("all have cases", () => expect(cases.map(([name]) => name).sort()).toEqual(Object.keys(scalar).sort()));

  describe.each(cases)("%s", (name, examples) => {
    it.each(examples)("%j", (text, expected) => expect(read(scalar[name], text)).toEqual(expected));
  });
});
