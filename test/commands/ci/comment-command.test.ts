import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMMAND_ROWS, commentCommand } from "../../../src/commands/ci/comment-command.ts";

const word = (say: string, unit: string, more: object = {}) => ({
  ...{ kind: "word", say, unit, nodes: [], reason: null, acceptAlreadyTrue: false },
  ...more,
});

describe("a command in a comment", () => {
  it.each([
    ["/rollcall", { kind: "help" }],
    ["/rollcall help", { kind: "help" }],
    ["/rollcall plan", { kind: "plan", live: false }],
    ["/rollcall  plan   --live  \r\nthanks!", { kind: "plan", live: true }],
    ["/rollcall plan \u2014live", { kind: "plan", live: true }],
    ["/rollcall status role:edge", { kind: "status", unit: "role:edge" }],
    ["/rollcall pause role:edge", word("pause", "role:edge")],
    ["/rollcall retry role:edge web-01 web-02", word("retry", "role:edge", { nodes: ["web-01", "web-02"] })],
    [
      '/rollcall skip role:edge web-01 --reason "psu \\"dead\\""',
      word("skip", "role:edge", { nodes: ["web-01"], reason: 'psu "dead"' }),
    ],
    [
      "/rollcall force role:edge@0123 \u2014reason \u201clooked at it\u201d",
      word("force", "role:edge@0123", { reason: "looked at it" }),
    ],
    [
      "/rollcall resume role:edge --accept-already-true --reason=ok",
      word("resume", "role:edge", { acceptAlreadyTrue: true, reason: "ok" }),
    ],
    ['/rollcall pause role:edge --reason "--live"', word("pause", "role:edge", { reason: "--live" })],
  ])("%j", (body, command) => expect(commentCommand(body)).toEqual(command));

  it.each([
    "",
    "rollcall pause role:edge",
    " /rollcall pause role:edge",
    "/rollcallx",
    "> /rollcall pause role:edge",
    "text\n/rollcall pause role:edge",
  ])("%j is none", (body) => expect(commentCommand(body)).toBeNull());

  it.each([
    ["/rollcall puase role:edge", "did you mean pause?"],
    ["/rollcall pause", "write /rollcall pause UNIT"],
    ["/rollcall plan role:edge", "write /rollcall plan --live"],
    ["/rollcall pause role:edge --live", "write /rollcall pause UNIT"],
    ["/rollcall pause role:edge --force", "`/rollcall help`"],
    ["/rollcall pause role:edge; id", "--reason"],
    ["/rollcall pause $(id)", "--reason"],
    ['/rollcall force role:edge --reason "open', "--reason"],
    ["/rollcall pause role:edge\n/rollcall resume role:edge", "one comment for each"],
    [`/rollcall pause ${"x".repeat(5000)}`, "`/rollcall help`"],
  ])("%j is not understood, and says how", (body, hint) => {
    expect(commentCommand(body)).toMatchObject({ kind: "unclear", hint: expect.stringContaining(hint) });
  });

  it("never throws, whatever stands there, and gives names and units on only when they are plain words", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.constantFrom(
        ...COMMAND_ROWS.map(({ usage }) => usage),
        "--reason",
        '"',
        "\\",
        "\u201c",
        "\u0000",
        "\u001b[2J",
        "$(id)",
        "role:edge",
        "\n",
        "=",
        "--",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const command = commentCommand(`/rollcall ${pieces.join(" ")}`);
        if (command?.kind === "unclear") {
          expect(command.message).not.toMatch(/\p{Cc}/u);
          expect(command.message.length).toBeLessThan(200);
        }
        if (command?.kind !== "word" && command?.kind !== "status") return;
        const nodes = command.kind === "word" ? command.nodes : [];
        for (const name of [command.unit, ...nodes]) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:@-]*$/);
      }),
      { numRuns: 3000 },
    );
  });

  it("reads back any reason that is written as it should be", () => {
    const reason = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(reason, (text) => {
        const quoted = text.replace(/[\\"]/g, "\\$&");
        expect(commentCommand(`/rollcall pause role:edge --reason "${quoted}"`)).toEqual(
          word("pause", "role:edge", { reason: text }),
        );
      }),
    );
  });
});
