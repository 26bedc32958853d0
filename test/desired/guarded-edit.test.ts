import { describe, expect, it } from "vitest";
import { type EditGuard, guardedEdit, type Wish } from "../../src/desired/edit/guarded-edit.ts";
import { parseNodeChanges } from "../../src/desired/edit/node-change.ts";
import { addNode, removeNode, setNode } from "../../src/desired/edit/node-edits.ts";
import type { DesiredFiles } from "../../src/ports.ts";
import { FLEET, node, role, textFiles } from "./text-files.ts";

const FLEET_TEXT = `# The fleet.\n"version" : 2\n\ngeneration:   '42'   # raised by every change\nobserved_branch: observed\n`;
const files = {
  "roster/fleet.yaml": FLEET_TEXT,
  "roster/nodes/a.yaml": node("a"),
  "roster/nodes/b.yaml": node("b", "jump: a\n"),
  "host-roles/web.yaml": role("web"),
};
const NOTHING = () => ({ writes: [] });
type Edit = (files: DesiredFiles) => Wish;

function run(edit: Edit, guard: Partial<EditGuard> = {}, more: Record<string, string> = {}) {
  const { diagnostics, ...rest } = guardedEdit(
    textFiles({ ...files, ...more }),
    { generation: 42, above: null, ...guard },
    edit,
  );
  return { ...rest, codes: diagnostics.map(({ code }) => code), diagnostics };
}

function set(name: string, ...words: string[]): Edit {
  return setNode(name, changes(words));
}

function changes(words: readonly string[]) {
  const parsed = parseNodeChanges(words);
  if ("code" in parsed) throw new Error(parsed.message);
  return parsed;
}

describe("generation bump", () => {
  it("changes the digits and not one other byte", () => {
    const { writes, generation, ok } = run(NOTHING);
    expect([ok, generation]).toEqual([true, 43]);
    expect(writes).toEqual([{ path: "roster/fleet.yaml", text: FLEET_TEXT.replace("42", "43") }]);
  });

  it("needs no number from a caller who does not care, and rises above a base", () => {
    expect(run(NOTHING, { generation: null }).generation).toBe(43);
    expect(run(NOTHING, { above: 57 }).generation).toBe(58);
    expect(run(NOTHING, { above: 3 }).generation).toBe(43);
  });

  it("of a number that stands elsewhere than beside its key is refused", () => {
    const { codes } = run(NOTHING, {}, { "roster/fleet.yaml": "version: 2\ngeneration: >-\n  42\n" });
    expect(codes).toEqual(["edit-not-possible"]);
  });

  it("of a fleet without a number says what is wrong with it", () => {
    expect(run(NOTHING, {}, { "roster/fleet.yaml": "version: 2\n" })).toMatchObject({
      ok: false,
      codes: ["missing-key"],
    });
  });
});

describe("a guarded edit", () => {
  it("writes nothing when the caller's number is not current", () => {
    const stale = run(set("a", "class=desktop"), { generation: 41 });
    expect(stale).toMatchObject({ ok: false, generation: 42, writes: [], codes: ["stale-generation"] });
    expect(stale.diagnostics[0]).toMatchObject({
      line: 4,
      column: 15,
      hint: expect.stringContaining("--generation 42"),
    });
  });

  it("writes the generation first, then the edit", () => {
    const { ok, generation, writes } = run(set("a", "class=desktop"));
    expect([ok, generation]).toEqual([true, 43]);
    expect(writes).toEqual([
      { path: "roster/fleet.yaml", text: FLEET_TEXT.replace("42", "43") },
      { path: "roster/nodes/a.yaml", text: node("a").replace("server", "desktop") },
    ]);
  });

  it("does not bump when nothing changes", () => {
    expect(run(set("a", "class=server", "jump="))).toMatchObject({ ok: true, generation: 42, writes: [] });
  });

  it("that would make the fleet invalid is refused with the findings", () => {
    const wrong = run(set("a", "roles+=wbe", "port=0"));
    expect(wrong).toMatchObject({ ok: false, generation: 42, writes: [], codes: ["invalid-value"] });
    expect(run(set("a", "roles+=wbe"))).toMatchObject({ ok: false, writes: [], codes: ["unknown-role"] });
    expect(run(addNode("c", changes(["class=server"])))).toMatchObject({ writes: [], codes: ["missing-key"] });
  });

  it("may mend a broken fleet step by step", () => {
    const broken = { "roster/nodes/c.yaml": "name: x\n", "roster/nodes/d.yaml": node("d", "roles: [gone]\n") };
    expect(run(removeNode("c"), {}, broken)).toMatchObject({ ok: true, generation: 43 });
    expect(run(set("d", "roles-=gone"), {}, broken)).toMatchObject({ ok: true, generation: 43 });
    expect(run(set("d", "roles+=lost"), {}, broken)).toMatchObject({ ok: false, codes: ["unknown-role"] });
  });
});

describe("nodes", () => {
  it("are added once", () => {
    const words = changes(["class=server", "address=c.example.org"]);
    expect(run(addNode("c", words)).writes.map(({ path }) => path)).toEqual([
      "roster/fleet.yaml",
      "roster/nodes/c.yaml",
    ]);
    expect(run(addNode("a", words))).toMatchObject({ ok: false, codes: ["node-exists"] });
    expect(run(addNode("../../etc/x", words))).toMatchObject({ ok: false, codes: ["invalid-name"] });
    expect(run(addNode("C", words))).toMatchObject({ ok: false, codes: ["invalid-name"] });
  });

  it("that are not there are neither set nor removed", () => {
    expect(run(set("aa", "class=x"))).toMatchObject({ ok: false, codes: ["unknown-node"] });
    expect(run(removeNode("aa")).diagnostics[0]?.hint).toBe("Did you mean a?");
  });

  it("are removed, but not from under another node", () => {
    expect(run(removeNode("b")).writes[1]).toEqual({ path: "roster/nodes/b.yaml", text: null });
    const used = run(removeNode("a"));
    expect(used).toMatchObject({ ok: false, writes: [], codes: ["node-in-use"] });
    expect(used.diagnostics[0]).toMatchObject({ file: "roster/nodes/b.yaml", line: 4, column: 7, key: "jump" });
  });

  it("of a small fleet file keep theirs", () => {
    expect(run(set("a", "enabled=false"), {}, { "roster/fleet.yaml": FLEET }).writes[0]?.text).toBe(
      "version: 2\ngeneration: 43\n",
    );
  });
});
