import { describe, expect, it } from "vitest";
import { type BoardOptions, runBoard } from "../../src/commands/board.ts";
import type { Board } from "../../src/model/board.ts";
import type { ObservedFiles, Repository, RepositoryStanding } from "../../src/ports.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { FLEET, node, role, textFiles } from "../desired/text-files.ts";

const MAIN = "3".repeat(40);
const files = (roles: string, more: Readonly<Record<string, string>> = {}) =>
  textFiles({
    "roster/fleet.yaml": FLEET,
    "roster/nodes/web-01.yaml": node("web-01", `roles: [${roles}]\n`),
    "host-roles/edge.yaml": role("edge"),
    "host-roles/other.yaml": role("other"),
    ...more,
  });

const CLEAN: RepositoryStanding = { git: true, head: MAIN, dirty: [], mainBranch: "main", merged: true, behind: false };
const EMPTY: ObservedFiles = { commit: null, paths: [], read: () => undefined };
const ALL: BoardOptions = { unit: null, markdown: false };

interface World {
  readonly merged?: ReturnType<typeof textFiles> | null;
  readonly standing?: Partial<RepositoryStanding>;
}

/** Main asks for `edge`, the working tree for `other`; `asked` are the branches of the record that were asked for. */
async function board(options: Partial<BoardOptions> = {}, { merged = files("edge"), standing = {} }: World = {}) {
  const asked: string[] = [];
  const repository: Repository = {
    workingTree: async () => files("other"),
    at: async (ref) => (ref === MAIN && merged !== null ? merged : undefined),
    standing: async () => ({ ...CLEAN, ...standing }),
    main: async () => (merged === null ? null : { branch: "origin/main", commit: MAIN }),
    lineage: () => Promise.reject(new Error("the board asks for no lineage")),
  };
  const store = (branch: string) => {
    asked.push(branch);
    return { read: async () => ({ observed: EMPTY, live: EMPTY }) };
  };
  const clock = { now: () => new Date("2026-11-30T09:20:00Z") };
  const result = await runBoard({ repository, store, clock }, { ...ALL, ...options });
  return { ...result, shown: result.text(PLAIN), asked };
}

const unitsOf = (document: unknown) => (document as Board).units.map(({ unit }) => unit);

describe("board", () => {
  it("is about what main asks for, held against the record, and red until somebody proved it", async () => {
    const { exitCode, document, shown, asked } = await board();
    expect([exitCode, unitsOf(document), asked]).toEqual([1, ["role:edge"], ["observed"]]);
    expect(document).toMatchObject({
      desired: { source: "main", branch: "origin/main", commit: MAIN, unmerged: false },
    });
    expect(shown).toContain("generation 42 at 3333333");
  });

  it.each([
    ["is dirty", { dirty: ["roster/fleet.yaml"] }],
    ["stands on an unmerged commit", { merged: false }],
  ])("says that it leaves out what the working tree has when that %s", async (_what, standing) => {
    const { shown, document } = await board({}, { standing });
    expect(unitsOf(document)).toEqual(["role:edge"]);
    expect(shown).toContain("what the working tree has besides origin/main is not in here");
  });

  it("is about the working tree, and says so, only where there is no main branch", async () => {
    const { shown, document } = await board({}, { merged: null, standing: { mainBranch: null, merged: false } });
    expect(unitsOf(document)).toEqual(["role:other"]);
    expect(shown).toContain("there is no main branch: this is about the working tree, which nobody reviewed");
  });

  it("asks for no record where there is no history", async () => {
    const { asked, exitCode } = await board(
      {},
      { merged: null, standing: { git: false, head: null, mainBranch: null } },
    );
    expect([asked, exitCode]).toEqual([[], 1]);
  });

  it("is of one unit when one was asked for", async () => {
    const both = { merged: files("edge, other") };
    expect(unitsOf((await board({}, both)).document)).toEqual(["role:edge", "role:other"]);
    expect(unitsOf((await board({ unit: "role:other" }, both)).document)).toEqual(["role:other"]);
  });

  it("refuses a unit that is not there, with the one that is near", async () => {
    const { exitCode, document } = await board({ unit: "role:edgee" });
    expect([exitCode, document]).toEqual([
      64,
      {
        ok: false,
        error: { code: "unknown-unit", message: "there is no unit role:edgee", hint: "did you mean role:edge?" },
      },
    ]);
  });

  it("is a page on request", async () => {
    expect((await board({ markdown: true })).shown).toMatch(
      /^# Board\n\nGeneration 42\. \*\*1 of 1 unit is behind\.\*\*\n/,
    );
  });

  it("answers with all diagnostics when what is merged is not valid", async () => {
    const { exitCode, document } = await board({}, { merged: files("edge, nowhere") });
    expect([exitCode, document]).toMatchObject([1, { ok: false, diagnostics: [{ code: "unknown-role" }] }]);
  });
});
