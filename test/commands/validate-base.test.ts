import { describe, expect, it } from "vitest";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { runValidate } from "../../src/commands/validate.ts";
import type { Diagnostic } from "../../src/kit/diagnostic.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { countGit } from "../desired/count-git.ts";
import { type GitFleet, gitFleet } from "../desired/git-fleet.ts";
import { node, role } from "../desired/text-files.ts";

const FILE = role("edge", "", "\n  - { type: file, path: /etc/motd, source: motd }");
const files = {
  "roster/fleet.yaml": "# the fleet\nversion: 2\ngeneration: 42 # raised by every change\n",
  "roster/nodes/a.yaml": node("a", "roles: [edge]\n"),
  "host-roles/edge.yaml": FILE,
  "host-roles/edge/files/motd": "hello\n",
  "parcels/README.md": "Parcels.\n",
};
const generation = (number: number | string) => ({
  "roster/fleet.yaml": files["roster/fleet.yaml"].replace("42", String(number)),
});

/** main at generation 42, and a branch of it checked out. */
function branched(): GitFleet {
  const fleet = gitFleet();
  fleet.commit(files);
  fleet.git("switch", "--quiet", "--create", "work");
  return fleet;
}

async function validate(fleet: GitFleet, base: string | null = "main") {
  const { exitCode, document, text } = await runValidate(gitRepository(fleet.root), { base });
  const {
    ok,
    generation: number,
    diagnostics,
  } = document as { ok: boolean; generation: number; diagnostics: Diagnostic[] };
  return {
    exitCode,
    ok,
    generation: number,
    codes: diagnostics.map(({ code }) => code),
    diagnostics,
    text: text(PLAIN),
  };
}

const CHANGES: Record<string, Record<string, string | null>> = {
  "a node changed": { "roster/nodes/a.yaml": node("a", "roles: [edge]\nlabels: { x: y }\n") },
  "a node added": { "roster/nodes/b.yaml": node("b") },
  "a node removed": { "roster/nodes/a.yaml": null },
  "a comment added": { "roster/nodes/a.yaml": `# hello\n${node("a", "roles: [edge]\n")}` },
  "known_hosts added": { "roster/known_hosts": "a ssh-ed25519 AAAA\n" },
  "a parcel's file changed": { "parcels/README.md": "Other.\n" },
  "a policy of the fleet changed": { "roster/fleet.yaml": `${files["roster/fleet.yaml"]}signatures: off\n` },
};

describe("the generation fence", () => {
  it.each(Object.entries(CHANGES))(
    "%s, without a bump: stale, exit 2, and the line that mends it",
    async (_name, change) => {
      const fleet = branched();
      fleet.commit(change);
      const stale = await validate(fleet);
      expect(stale).toMatchObject({ exitCode: 2, ok: false, generation: 42, codes: ["stale-generation"] });
      const [diagnostic] = stale.diagnostics;
      expect(diagnostic).toMatchObject({
        file: "roster/fleet.yaml",
        line: 3,
        column: 13,
        key: "generation",
        severity: "error",
      });
      expect(diagnostic?.hint).toBe("Run: rollcall generation bump --generation 42");
      expect(stale.text).toContain("roster/fleet.yaml:3:13 error stale-generation: ");
      const fleetText = change["roster/fleet.yaml"] ?? files["roster/fleet.yaml"];
      fleet.commit({ "roster/fleet.yaml": fleetText.replace("42", "43") });
      expect(await validate(fleet)).toMatchObject({ exitCode: 0, ok: true, generation: 43, codes: [] });
    },
  );

  it("counts the working tree, not only commits", async () => {
    const fleet = branched();
    fleet.write({ "roster/nodes/b.yaml": node("b") });
    expect(await validate(fleet)).toMatchObject({ exitCode: 2, codes: ["stale-generation"] });
  });

  it("has nothing to say of what lies elsewhere, and of no base", async () => {
    const fleet = branched();
    fleet.commit({ "README.md": "x", "host-roles-notes.md": "y" });
    expect(await validate(fleet)).toMatchObject({ exitCode: 0, codes: [] });
    fleet.write({ "roster/nodes/b.yaml": node("b") });
    expect(await validate(fleet, null)).toMatchObject({ exitCode: 0, codes: [] });
  });

  it("takes a gap and several bumps, but not a number that falls", async () => {
    const fleet = branched();
    fleet.commit({ ...generation(57), "roster/nodes/b.yaml": node("b") });
    expect(await validate(fleet)).toMatchObject({ exitCode: 0, generation: 57 });
    fleet.commit(generation(41));
    const stale = await validate(fleet);
    expect(stale).toMatchObject({ exitCode: 2, generation: 41 });
    expect(stale.diagnostics[0]?.hint).toBe("Run: rollcall generation bump --generation 41 --above 42");
  });

  it("stops the second of two branches that both say 43", async () => {
    const fleet = branched();
    fleet.commit({ ...generation(43), "roster/nodes/b.yaml": node("b") });
    fleet.git("switch", "--quiet", "--create", "other", "main");
    fleet.commit({ ...generation(43), "roster/nodes/c.yaml": node("c") });
    fleet.git("switch", "--quiet", "main");
    fleet.git("merge", "--quiet", "--no-edit", "work");
    fleet.git("switch", "--quiet", "other");
    expect(await validate(fleet)).toMatchObject({ exitCode: 2, codes: ["stale-generation"] });
    // git merges the two without a conflict; the number is what tells.
    fleet.git("merge", "--quiet", "--no-edit", "main");
    expect(await validate(fleet)).toMatchObject({ exitCode: 2, codes: ["stale-generation"] });
    fleet.commit(generation(44));
    expect(await validate(fleet)).toMatchObject({ exitCode: 0 });
  });

  it("lets the first fleet of a repository in, and a base whose number cannot be read be mended", async () => {
    const fleet = gitFleet();
    fleet.commit({ "README.md": "x" });
    fleet.git("switch", "--quiet", "--create", "work");
    fleet.commit(files);
    expect(await validate(fleet)).toMatchObject({ exitCode: 0, codes: [] });
    fleet.commit(generation("none"));
    fleet.git("switch", "--quiet", "--create", "mend");
    fleet.commit(files);
    expect(await validate(fleet, "work")).toMatchObject({ exitCode: 0, codes: [] });
  });

  it("refuses a base that is not here, as in a clone without its history", async () => {
    const fleet = branched();
    const { exitCode, document } = await runValidate(gitRepository(fleet.root), { base: "origin/main" });
    expect(exitCode).toBe(64);
    expect(document).toMatchObject({ ok: false, error: { code: "unknown-base" } });
  });

  it("says 1, not 2, when the number is not all that is wrong", async () => {
    const fleet = branched();
    fleet.commit({ "roster/nodes/b.yaml": "name: b\nclass: server\n" });
    expect(await validate(fleet)).toMatchObject({ exitCode: 1, codes: ["stale-generation", "missing-key"] });
  });

  it("costs three git processes", async () => {
    const fleet = branched();
    expect(await countGit(async () => void (await validate(fleet)))).toEqual(["rev-parse", "ls-tree", "cat-file"]);
  });
});

describe("the version of a changed role", () => {
  const bumped = generation(43);
  const manifest = (text: string) => ({ ...bumped, "host-roles/edge.yaml": text });

  it.each<[string, Record<string, string | null>]>([
    ["a shipped file", { ...bumped, "host-roles/edge/files/motd": "goodbye\n" }],
    ["a resource", manifest(FILE.replace("/etc/motd", "/etc/issue"))],
    ["the description", manifest(FILE.replace("Test.", "Other."))],
  ])("%s", async (_name, change) => {
    const fleet = branched();
    fleet.commit(change);
    const { exitCode, codes, diagnostics } = await validate(fleet);
    expect([exitCode, codes]).toEqual([1, ["role-version"]]);
    expect(diagnostics[0]).toMatchObject({
      file: "host-roles/edge.yaml",
      line: 2,
      column: 10,
      hint: "Write version: 2.",
    });
    const now = (change["host-roles/edge.yaml"] ?? FILE).replace("version: 1", "version: 2");
    fleet.commit({ "host-roles/edge.yaml": now });
    expect(await validate(fleet)).toMatchObject({ exitCode: 0, codes: [] });
  });

  it("may not fall, even when nothing else changed", async () => {
    const fleet = gitFleet();
    fleet.commit({ ...files, "host-roles/edge.yaml": FILE.replace("version: 1", "version: 5") });
    fleet.git("switch", "--quiet", "--create", "work");
    fleet.commit(manifest(FILE.replace("version: 1", "version: 4")));
    const { codes, diagnostics } = await validate(fleet);
    expect(codes).toEqual(["role-version"]);
    expect(diagnostics[0]?.hint).toBe("Write version: 6.");
  });

  it("need not rise for comments, key order and spelling, or for a new or removed role", async () => {
    const fleet = branched();
    const respelled = `# hello\nversion: "1"\nrole: edge\ndescription: 'Test.'\nresources:\n  - path: /etc/motd\n    source: motd\n    type: file\n    mode: '644'\n`;
    fleet.commit({ ...manifest(respelled), "host-roles/new.yaml": role("new") });
    expect(await validate(fleet)).toMatchObject({ exitCode: 0, codes: [] });
    fleet.git("switch", "--quiet", "--create", "gone");
    fleet.commit({ ...generation(44), "host-roles/new.yaml": null });
    expect(await validate(fleet, "work")).toMatchObject({ exitCode: 0, codes: [] });
  });
});
