import { expect, test } from "vitest";
import { columns } from "../../src/render/columns.ts";
import { visible } from "../../src/render/visible.ts";

test("control characters, escape sequences and bidi controls of a node never reach the terminal", () => {
  expect(visible("a\u001b[31mred\u001b[0m\r\n\tb\u0000\u009b\u202e")).toBe(
    "a\\x1b[31mred\\x1b[0m\\r\\n\\tb\\x00\\x9b\\u202e",
  );
  expect(visible("/etc/größe 日本")).toBe("/etc/größe 日本");
});

test("columns align all but the last cell and keep ragged rows", () => {
  expect(columns([["a", "bb", "c"], ["aaa", "b", "dd"], ["x"]], "  ")).toEqual([
    "  a    bb  c",
    "  aaa  b   dd",
    "  x",
  ]);
});
