import { describe, expect, it } from "vitest";
import { compareContents } from "../../src/render/content-comparison.ts";
import { contentLines } from "../../src/render/content-diff.ts";
import { PLAIN } from "../../src/render/paint.ts";

type Side = string | Uint8Array | null;
const bytes = (side: Side) => (typeof side === "string" ? new TextEncoder().encode(side) : side);
const compare = (onNode: Side, declared: Side) =>
  compareContents({ path: "/etc/a", onNode: bytes(onNode), declared: bytes(declared) });
const shown = (onNode: Side, declared: Side) => contentLines(compare(onNode, declared), PLAIN);
const numbered = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");

describe("the content of a file", () => {
  it("is a unified diff from the node to what is declared", () => {
    expect(shown("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nE\nf\n")).toEqual([
      "│ --- /etc/a\ton the node",
      "│ +++ /etc/a\tdeclared",
      "│ @@ -2,5 +2,5 @@",
      "│  b",
      "│  c",
      "│  d",
      "│ -e",
      "│ +E",
      "│  f",
    ]);
  });

  it("that is not there yet, or is to go, has /dev/null on the other side", () => {
    expect(shown(null, "a\n")).toEqual([
      "│ --- /dev/null\ton the node",
      "│ +++ /etc/a\tdeclared",
      "│ @@ -0,0 +1,1 @@",
      "│ +a",
    ]);
    expect(shown("a\n", null).slice(1)).toEqual(["│ +++ /dev/null\tdeclared", "│ @@ -1,1 +0,0 @@", "│ -a"]);
  });

  it("shows line ends and a missing last one", () => {
    expect(shown("a\r\nb", "a\nb\n").slice(3)).toEqual([
      "│ -a\\r",
      "│ -b",
      "│ \\ No newline at end of file",
      "│ +a",
      "│ +b",
    ]);
  });

  it.each([
    ["NUL", "a\0b", "ab", "│ binary, 3 bytes → 2 bytes"],
    ["bytes that are no UTF-8", new Uint8Array([0xff, 0xfe]), "ab", "│ binary, 2 bytes → 2 bytes"],
    ["bytes declared, nothing there", null, new Uint8Array([0xc3]), "│ binary, nothing → 1 bytes"],
  ])("is not shown when it is %s", (_what, before, after, line) => expect(shown(before, after)).toEqual([line]));

  it("is counted, not shown, when more differs than anybody reads, and quickly so", () => {
    const begin = performance.now();
    expect(shown(numbered(20_000, "old"), numbered(10_000, "new"))).toEqual([
      "│ too much differs to be shown, 20000 lines → 10000 lines",
    ]);
    expect(shown("\n".repeat(262_144), null)).toEqual(["│ too much differs to be shown, 262144 lines → 0 lines"]);
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  it("is cut for the terminal, and whole in the document", () => {
    const lines = shown("", numbered(500, "new"));
    expect([lines.length, lines.at(-1)]).toEqual([401, "│ … 103 more lines; --json has them all"]);
    const whole = compare("", numbered(500, "new"));
    expect(whole.status === "text" && whole.diff.split("\n").length).toBe(504);
  });

  it.each([
    ["on the node", "listen: 80\nDB_PASSWORD: hunter2!\n", "listen: 80\n"],
    ["as declared", "listen: 80\n", "listen: 80\nDB_PASSWORD: hunter2!\n"],
  ])("is withheld when a line %s looks like a secret", (side, before, after) => {
    expect(shown(before, after)).toEqual([
      `│ content not shown: line 2 ${side} looks like a secret: its name says PASSWORD`,
    ]);
  });

  it("moves no cursor and gives no runner a command", () => {
    const lines = shown("\u001b[2J\u202egone\n::set-env name=a::b\nx\tok\n", "::set-env name=a::b\n");
    expect(lines).toContain("│ -\\x1b[2J\\u202egone");
    expect(lines).toContain("│  ::set-env name=a::b");
    expect(lines).toContain("│ -x\tok");
    for (const line of lines) expect(line.trim()).toMatch(/^│/);
  });
});
