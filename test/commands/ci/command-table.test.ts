import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { COMMAND_ROWS } from "../../../src/commands/ci/comment-command.ts";

it("docs/github.md has the table of /rollcall help", () => {
  const rows = COMMAND_ROWS.map(({ usage, does }) => `| \`/rollcall ${usage}\` | ${does} |`);
  expect(readFileSync("docs/github.md", "utf8")).toContain(rows.join("\n"));
});
