import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { newNodeText } from "../../src/desired/edit/edit-node.ts";
import { parseNodeChanges } from "../../src/desired/edit/node-change.ts";
import { setNode } from "../../src/desired/edit/node-edits.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { FLEET, textFiles } from "./text-files.ts";

const caseSchema = z.strictObject({
  name: z.string(),
  words: z.array(z.string()),
  before: z.string(),
  after: z.string().optional(),
  refused: z.string().optional(),
});
const cases = z
  .array(caseSchema)
  .parse(parse(readFileSync(new URL("../cases/edits/node-set.yaml", import.meta.url), "utf8")));

function changes(words: readonly string[]) {
  const parsed = parseNodeChanges(words);
  if ("code" in parsed) throw new Error(parsed.message);
  return parsed;
}

/** The node's new text, or the codes of what refuses it. */
function edited(text: string, words: readonly string[]): string | readonly string[] {
  const wish = setNode("a", changes(words))(textFiles({ "roster/nodes/a.yaml": text }));
  return "writes" in wish ? String(wish.writes[0]?.text ?? "") : wish.diagnostics.map(({ code }) => code);
}

describe("node set", () => {
  it.each(cases)("$name", ({ words, before, after, refused }) => {
    expect(edited(before, words)).toEqual(refused === undefined ? after : [refused]);
  });

  it("leaves every line alone that it does not speak of, whatever the file looks like", () => {
    const comment = fc.constantFrom("", " # note", "   # ä: [x, {y}] 'z'");
    const line = fc.constantFrom("", "# a comment", "   # indented", "#", "\t# after a tab");
    const key = fc.constantFrom("class", "address", "user", "jump", "state", "machine_id");
    const value = fc.stringMatching(/^[a-z][a-z0-9.-]{0,10}$/);
    const quote = fc.constantFrom("", "'", '"');
    const file = fc.tuple(
      fc.array(line, { maxLength: 3 }),
      fc.uniqueArray(fc.tuple(key, value, quote, comment, fc.array(line, { maxLength: 2 })), {
        selector: ([name]) => name,
        minLength: 1,
      }),
    );
    fc.assert(
      fc.property(file, key, value, ([top, pairs], changed, wanted) => {
        const lines = pairs.flatMap(([name, old, q, end, below]) => [`${name}: ${q}${old}${q}${end}`, ...below]);
        const before = [...top, "name: a", ...lines, ""].join("\n");
        const after = edited(before, [`${changed}=${wanted}`]);
        if (typeof after !== "string") throw new Error(String(after));
        const others = (text: string) => text.split("\n").filter((one) => !one.startsWith(`${changed}:`));
        expect(others(after)).toEqual(others(before));
        expect(after).toMatch(new RegExp(`^${changed}: ['"]?${wanted.replaceAll(".", "\\.")}['"]?( |$)`, "m"));
        expect(edited(after, [`${changed}=${wanted}`])).toBe(after);
      }),
    );
  });

  it.each([
    ["klass=x", "Did you mean class?"],
    ["class", "Write key=value"],
    ["name=b", "Fields are"],
    ["class+=x", "Fields are"],
    ["labels=x", "labels.<key>"],
    ["roles.x=y", "Fields are"],
    ["agents=[]", "Fields are"],
  ])("does not know %s", (word, hint) => {
    expect(parseNodeChanges([word])).toMatchObject({ code: "invalid-change", hint: expect.stringContaining(hint) });
  });
});

describe("node add", () => {
  it("writes a file that a person would write", () => {
    const words = [
      "address=203.0.113.9",
      "class=headless-server",
      "roles+=web",
      "roles+=edge",
      "labels.region=eu",
      "vars.workers=4",
    ];
    expect(newNodeText("web-03", changes([...words, "port=2222", "aliases=www,web"]))).toBe(
      [
        "name: web-03",
        "class: headless-server",
        "address: 203.0.113.9",
        "port: 2222",
        "aliases: [www, web]",
        "roles: [web, edge]",
        "labels: { region: eu }",
        'vars: { workers: "4" }',
        "",
      ].join("\n"),
    );
  });

  it("keeps every value that the schema takes", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme" }), fc.string({ minLength: 1 }), (label, value) => {
        const text = newNodeText("a", changes(["class=server", "address=a", `labels.x=${label}`, `vars.v=${value}`]));
        const { state } = loadDesired(textFiles({ "roster/fleet.yaml": FLEET, "roster/nodes/a.yaml": text }));
        expect(state?.nodes[0]).toMatchObject({ labels: { x: label }, vars: { v: value } });
      }),
    );
  });
});
