import { expect, test } from "vitest";
import { refused } from "../../src/commands/result.ts";
import { columns } from "../../src/render/columns.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { visible, visibleJson } from "../../src/render/visible.ts";

test("control characters, escape sequences and bidi controls of a node never reach the terminal", () => {
  expect(visible("a\u001b[31mred\u001b[0m\r\n\tb\u0000\u009b\u202e")).toBe(
    "a\\x1b[31mred\\x1b[0m\\r\\n\\tb\\x00\\x9b\\u202e",
  );
  expect(visible("a\u061cb")).toBe("a\\u061cb");
  expect(visible("/etc/größe 日本")).toBe("/etc/größe 日本");
});

test("a document has the same meaning and nothing that a terminal acts on", () => {
  const document = { message: "\u009b31mred\u202e\u061c\u007f\u001b[0m größe" };
  const text = visibleJson(document);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u202e]/);
  expect(text).toContain("größe");
  expect(JSON.parse(text)).toEqual(document);
});

test("what a hook of the remote said cannot colour a refusal", () => {
  const { text } = refused({ code: "push-declined", message: "no\u001b[2J", hint: "ask\u009b\nthem" }, 2);
  expect(text(PLAIN)).toBe("error push-declined: no\\x1b[2J\n  ask\\x9b\nthem\n");
});

test("columns align all but the last cell and keep ragged rows", () => {
  expect(columns([["a", "bb", "c"], ["aaa", "b", "dd"], ["x"]], "  ")).toEqual([
    "  a    bb  c",
    "  aaa  b   dd",
    "  x",
  ]);
});
