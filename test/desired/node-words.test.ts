import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { guardedEdit } from "../../src/desired/edit/guarded-edit.ts";
import { parseNodeChanges } from "../../src/desired/edit/node-change.ts";
import { markDown, markUp, sayOfUnit, takeBack } from "../../src/desired/edit/node-words.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { FLEET, node, role, textFiles } from "./text-files.ts";

const AT = "2026-05-06T10:00:00Z";
const SPEAKER = { by: "octocat", at: AT };
type Edit = Parameters<typeof guardedEdit>[2];

function run(text: string, edit: Edit, generation = 42) {
  const files = textFiles({
    "roster/fleet.yaml": FLEET,
    "roster/nodes/a.yaml": text,
    "host-roles/web.yaml": role("web"),
    "host-roles/edge.yaml": role("edge"),
  });
  const { ok, writes, diagnostics } = guardedEdit(files, { generation, above: null }, edit);
  const after = writes.find(({ path }) => path === "roster/nodes/a.yaml")?.text ?? null;
  return { ok, text: after === null ? null : String(after), codes: diagnostics.map(({ code }) => code), diagnostics };
}

const decline = (unit: string, reason: string): Edit => sayOfUnit("a", { kind: "decline", unit, reason, ...SPEAKER });
const claim = (unit: string, note: string): Edit => sayOfUnit("a", { kind: "claim", unit, note, ...SPEAKER });

describe("node decline and claim", () => {
  it("write one line, in the place where people expect it, and what is read back is what was said", () => {
    const said = run(node("a", "# the rest\nroles: [web]   # here\n"), decline("role:web", "no: desktop # session"));
    expect(said.text).toBe(
      `${node("a", "# the rest\nroles: [web]   # here\n")}declines: [{ unit: "role:web", reason: "no: desktop # session", by: octocat, at: "${AT}" }]\n`,
    );
    const { state } = loadDesired(
      textFiles({
        "roster/fleet.yaml": FLEET,
        "roster/nodes/a.yaml": said.text ?? "",
        "host-roles/web.yaml": role("web"),
      }),
    );
    expect(state?.nodes[0]?.declines).toEqual([
      { unit: "role:web", reason: "no: desktop # session", by: "octocat", at: AT },
    ]);
  });

  it("join the list that is there, in brackets and in lines", () => {
    const other = '{ unit: "role:edge", note: x, by: y, at: 2026-01-01 }';
    expect(run(node("a", `claims: [${other}]  # old\n`), claim("role:web", "by hand")).text).toBe(
      node("a", `claims: [${other}, { unit: "role:web", note: "by hand", by: octocat, at: "${AT}" }]  # old\n`),
    );
    const lines = "claims:\n  # moved\n  - unit: role:edge\n    note: x # why\n    by: y\n    at: 2026-01-01\n# end\n";
    expect(run(node("a", lines), claim("role:web", "by hand")).text).toBe(
      node("a", lines.replace("# end", `  - { unit: "role:web", note: "by hand", by: octocat, at: "${AT}" }\n# end`)),
    );
  });

  it("replace what was said before, field by field, with every comment where it was", () => {
    const lines =
      "declines:\n  # moved\n  - at: 2026-01-01\n    unit: role:web\n    reason: 'x' # why\n    by: y\n# end\n";
    const again = run(node("a", lines), decline("role:web", "it's new")).text;
    expect(again).toBe(
      node(
        "a",
        `declines:\n  # moved\n  - at: "${AT}"\n    unit: role:web\n    reason: 'it''s new' # why\n    by: octocat\n# end\n`,
      ),
    );
    expect(run(again ?? "", decline("role:web", "it's new"))).toMatchObject({ ok: true, text: null });
  });

  it("are taken back, with the key after the last one, and once more is nothing", () => {
    const first = '{ unit: "role:edge", reason: x, by: y, at: 2026-01-01 }';
    const second = '{ unit: "role:web", reason: x, by: y, at: 2026-01-01 }';
    const both = node("a", `declines: [${first}, ${second}] # two\n`);
    const left = run(both, takeBack("a", "decline", "role:web")).text;
    expect(left).toBe(node("a", `declines: [${first}] # two\n`));
    expect(run(left ?? "", takeBack("a", "decline", "role:edge")).text).toBe(node("a"));
    expect(run(node("a"), takeBack("a", "decline", "role:edge"))).toMatchObject({ ok: true, text: null });
  });

  it("can be taken back of a unit that is gone, and not be said of one that never was", () => {
    const gone = node("a", "claims: [{ unit: role:gone, note: x, by: y, at: 2026-01-01 }]\n");
    expect(run(gone, takeBack("a", "claim", "role:gone")).text).toBe(node("a"));
    const unknown = run(node("a"), decline("role:wbe", "x"));
    expect(unknown).toMatchObject({ ok: false, text: null, codes: ["unknown-unit"] });
    expect(unknown.diagnostics[0]?.hint).toBe("Did you mean role:web?");
    expect(run(node("a"), takeBack("a", "claim", "role:wbe")).codes).toEqual(["unknown-unit"]);
  });

  it("refuse a node that is not there, and a number that is not current", () => {
    const edit = sayOfUnit("aa", { kind: "claim", unit: "role:web", note: "x", ...SPEAKER });
    expect(run(node("a"), edit)).toMatchObject({ codes: ["unknown-node"], diagnostics: [{ hint: "Did you mean a?" }] });
    expect(run(node("a"), decline("role:web", "x"), 41)).toMatchObject({ ok: false, codes: ["stale-generation"] });
  });

  it("leave alone what they cannot keep", () => {
    const text = node("a", "declines: [{ unit: role:web, reason: |-\n    x\n    y\n  , by: y, at: 2026-01-01 }]\n");
    expect(run(text, decline("role:web", "new")).ok).toBe(false);
  });
});

describe("node down and up", () => {
  const down = (reason: string, recheck = "reachable"): Edit => markDown("a", { reason, recheck, ...SPEAKER });

  it("write the verdict with its recheck, and a shell line comes back as it was written", () => {
    const said = run(node("a"), down("psu dead", '! curl -fs "http://a:80" | grep -q x'));
    expect(said.ok).toBe(true);
    expect(parse(said.text ?? "").down).toEqual({
      reason: "psu dead",
      recheck: '! curl -fs "http://a:80" | grep -q x',
      by: "octocat",
      since: AT,
    });
  });

  it("said again, it counts from now", () => {
    const old = node("a", "down:\n  reason: old # first\n  by: y\n  since: 2026-01-01\n");
    const text = run(old, down("still")).text;
    expect(text).toBe(
      node("a", `down:\n  reason: still # first\n  by: octocat\n  since: "${AT}"\n  recheck: reachable\n`),
    );
  });

  it("up takes it away, and once more is nothing", () => {
    const said = run(node("a", "# keep\n"), down("x")).text ?? "";
    expect(run(said, markUp("a")).text).toBe(node("a", "# keep\n"));
    expect(run(node("a"), markUp("a"))).toMatchObject({ ok: true, text: null });
  });

  it("stay out of node set", () => {
    expect(parseNodeChanges(["down=x"])).toMatchObject({ code: "invalid-change" });
    expect(parseNodeChanges(["declines+=role:web"])).toMatchObject({ code: "invalid-change" });
  });
});
