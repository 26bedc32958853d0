import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeScope } from "../../src/templates/node-scope.ts";
import { renderTemplate, variablesOf } from "../../src/templates/render-template.ts";

const scope = nodeScope({
  name: "web-01",
  address: "203.0.113.10",
  class: "headless-server",
  os: "linux",
  labels: { region: "eu", "topology.zone-1": "b" },
  vars: { workers: "4", motto: `<b>"R&D" {{ node.name }}</b> $& $1`, empty: "" },
});
const rendered = (text: string) => ({ kind: "rendered", text });
const bytes = (...parts: (string | number)[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : [part])));

describe("renderTemplate", () => {
  it.each([
    [
      "every name of a node",
      "{{ node.name }} {{node.address}} {{\tnode.class }} {{ node.os}}",
      "web-01 203.0.113.10 headless-server linux",
    ],
    ["labels, dots and dashes in them too", "{{ node.labels.region }}/{{ node.labels.topology.zone-1 }}", "eu/b"],
    [
      "a value as it is: not escaped, not rendered again",
      "{{ node.vars.motto }}",
      `<b>"R&D" {{ node.name }}</b> $& $1`,
    ],
    ["an empty value", "[{{ node.vars.empty }}]", "[]"],
    ["literal delimiters", `{{ "{{" }} .State {{ '}}' }} {{ "{{ $labels.job }}" }}`, "{{ .State }} {{ $labels.job }}"],
    ["a literal that looks like a name", `{{ "node.name" }}`, "node.name"],
    ["single braces and closing ones on their own", `{ } }} {node.name} $\{x} %}`, `{ } }} {node.name} $\{x} %}`],
    ["tags side by side", "{{node.os}}{{node.os}}", "linuxlinux"],
    ["line ends, no last newline", "a\r\n{{ node.os }}\r\n\n\tb", "a\r\nlinux\r\n\n\tb"],
    ["nothing", "", ""],
  ])("renders %s", (_what, text, expected) => {
    expect(renderTemplate(text, scope)).toEqual(rendered(expected));
    expect(renderTemplate(bytes(text), scope)).toEqual(rendered(expected));
  });

  it("keeps a byte-order mark and NUL", () => {
    expect(renderTemplate(bytes(0xef, 0xbb, 0xbf, "a\0{{ node.os }}"), scope)).toEqual(rendered("\ufeffa\0linux"));
  });

  it.each([
    ["a misspelt one", "a\r\n  é{{ node.vars.wrokers }}", 2, 4, "node.vars.wrokers", "under vars: of the node"],
    ["an unknown group", "{{ workers }}", 1, 1, "workers", "Known: node.name, node.address, node.class"],
    ["a group itself", "{{ node.vars }}", 1, 1, "node.vars", "Known: node.name"],
    ["a prototype's key", "{{ node.vars.constructor }}", 1, 1, "node.vars.constructor", "Known: node.vars.workers"],
    ["the prototype", "{{ __proto__ }}", 1, 1, "__proto__", "Correct the name"],
    ["a property of a text", "{{ node.name.length }}", 1, 1, "node.name.length", "Correct the name"],
  ])("names an undefined variable: %s", (_what, text, line, column, name, hint) => {
    expect(renderTemplate(text, scope)).toEqual({
      kind: "problems",
      problems: [
        {
          code: "undefined-variable",
          line,
          column,
          message: `the variable ${name} is not defined`,
          hint: expect.stringContaining(hint),
        },
      ],
    });
  });

  it.each([
    ["{{ }}", "malformed-tag"],
    ["{{{ node.name }}}", "malformed-tag"],
    ["{{ node.name | upper }}", "malformed-tag"],
    ["{{ node['name'] }}", "malformed-tag"],
    ["{{#if node.name}}", "malformed-tag"],
    ["{{ `whoami` }}", "malformed-tag"],
    ["{{ 'it's' }}", "malformed-tag"],
    ["{{ node.name }", "unclosed-tag"],
    ["{{ node.name\n}}", "unclosed-tag"],
    ["{{", "unclosed-tag"],
  ])("refuses %j as %s", (text, code) => {
    expect(renderTemplate(`ok\n ${text}`, scope)).toMatchObject({
      kind: "problems",
      problems: [{ code, line: 2, column: 2 }],
    });
  });

  it("names everything that is wrong at once, in the order of the text", () => {
    const text = "{{ a }}{{ node.os }}{{ b }}\n{{ | }} {{ c\n{{ a }}";
    const answer = renderTemplate(text, scope);
    expect(answer.kind === "problems" && answer.problems.map(({ code, line, column }) => [code, line, column])).toEqual(
      [
        ["undefined-variable", 1, 1],
        ["undefined-variable", 1, 21],
        ["malformed-tag", 2, 1],
        ["unclosed-tag", 2, 9],
        ["undefined-variable", 3, 1],
      ],
    );
  });

  it.each([
    ["a byte that begins nothing", bytes("ab\n", 0xff, "x"), 2, 1],
    ["Latin-1", bytes("caf", 0xe9, " {{ node.os }}"), 1, 4],
    ["a character cut off", bytes("\u{1f600}\n", 0xf0, 0x9f), 2, 1],
    ["a real replacement character before", bytes("\ufffd", 0x80), 1, 2],
    ["a surrogate", bytes("x", 0xed, 0xa0, 0x80), 1, 2],
  ])("refuses what is not UTF-8: %s", (_what, content, line, column) => {
    expect(renderTemplate(content, scope)).toMatchObject({
      kind: "problems",
      problems: [{ code: "not-text", line, column }],
    });
  });

  it("takes time linear in the text, however hostile", () => {
    for (const hostile of ["{{", '{{ "', "{{ a", "{{ a }", "{{ | }}", "{{\t", "}}", "{{ 'a\n"]) {
      expect(["rendered", "problems"]).toContain(renderTemplate(hostile.repeat(100_000), scope).kind);
    }
  }, 20_000);

  it("is the identity on texts without tags, and puts back whatever is quoted", () => {
    const piece = fc.string({ unit: fc.constantFrom("{", "}", '"', "a", ".", "\n", "\r", "é", "\u{1f600}", " ") });
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("|");
        const escaped = text.replaceAll("{", `{{ "{" }}`);
        expect(renderTemplate(escaped, new Map())).toEqual(rendered(text));
        expect(renderTemplate(new TextEncoder().encode(escaped), new Map())).toEqual(rendered(text));
      }),
    );
  });

  it("puts each value where its name stands", () => {
    const value = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/), value), (vars) => {
        const own = nodeScope({ name: "n", address: "a", class: "c", os: "linux", labels: {}, vars });
        const names = Object.keys(vars);
        const text = names.map((name) => `${name}={{ node.vars.${name} }}\n`).join("");
        expect(renderTemplate(text, own)).toEqual(rendered(names.map((name) => `${name}=${vars[name]}\n`).join("")));
      }),
    );
  });
});

describe("variablesOf", () => {
  it("lists every mention with its place, literals and malformed tags left out", () => {
    expect(variablesOf(`{{ b }}\n {{ "c" }} {{ a }} {{ b }} {{ | }}`)).toEqual([
      { name: "b", line: 1, column: 1 },
      { name: "a", line: 2, column: 12 },
      { name: "b", line: 2, column: 20 },
    ]);
  });
});
