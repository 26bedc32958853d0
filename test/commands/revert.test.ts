import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { desiredEditor } from "../../src/adapters/desired-editor.ts";
import { gitHistory } from "../../src/adapters/git-history.ts";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { runRevert } from "../../src/commands/revert.ts";
import { runValidate } from "../../src/commands/validate.ts";
import { segmentPath } from "../../src/model/observed-layout.ts";
import type { NewRolloutEvent } from "../../src/model/rollout-event.ts";
import type { ObservedFiles, ObservedStore } from "../../src/ports.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { type GitFleet, gitFleet } from "../desired/git-fleet.ts";
import { node } from "../desired/text-files.ts";

const fleetText = (generation: number, more = "") => `# fleet\nversion: 2\ngeneration: ${generation}\n${more}`;
const roleText = (version: number, content: string) =>
  `# the site\nrole: web\nversion: ${version}\ndescription: Site.\nresources:\n  - type: file\n    path: /etc/site\n    content: "${content}"\n`;

function repository(): GitFleet & { read(path: string): string; generation(): number } {
  const fleet = gitFleet();
  fleet.commit({
    "roster/fleet.yaml": fleetText(1),
    "roster/nodes/a.yaml": node("a", "roles: [web]\n"),
    "host-roles/web.yaml": roleText(1, "one"),
  });
  const read = (path: string) => readFileSync(join(fleet.root, path), "utf8");
  return { ...fleet, read, generation: () => Number(/generation: (\d+)/.exec(read("roster/fleet.yaml"))?.[1]) };
}

function revert(fleet: GitFleet, what: string, generation: number, record: Record<string, string> = {}) {
  const doors = {
    repository: gitRepository(fleet.root),
    history: gitHistory(fleet.root),
    editor: desiredEditor(fleet.root),
    store: () => recordOf(record),
  };
  return runRevert(doors, { what, generation });
}

function recordOf(texts: Record<string, string>): ObservedStore {
  const files: ObservedFiles = {
    commit: "f".repeat(40),
    paths: Object.keys(texts).sort(),
    read: (path) => texts[path],
  };
  const never = () => Promise.reject(new Error("a revert only reads the record"));
  return {
    read: () => Promise.resolve({ observed: files, live: { commit: null, paths: [], read: () => undefined } }),
    record: never,
    publish: never,
    lock: never,
  };
}

/** What was prepared is what a pull request could carry. */
async function validated(fleet: GitFleet): Promise<void> {
  expect(await runValidate(gitRepository(fleet.root), { base: "main" })).toMatchObject({ exitCode: 0 });
}

describe("revert COMMIT", () => {
  it("undoes what the newest commit changed, bumps, raises the role's version, and commits nothing", async () => {
    const fleet = repository();
    const bad = fleet.commit({
      "roster/fleet.yaml": fleetText(2),
      "host-roles/web.yaml": roleText(2, "two"),
      "roster/nodes/b.yaml": node("b"),
      "host-roles/web/files/x.bin": Uint8Array.of(0, 255, 254, 10),
    });
    const result = await revert(fleet, bad, 2);
    expect(result).toMatchObject({
      exitCode: 0,
      document: {
        ok: true,
        generation: 3,
        changed: ["roster/fleet.yaml", "host-roles/web/files/x.bin", "roster/nodes/b.yaml", "host-roles/web.yaml"],
        from: bad,
      },
    });
    expect(result.text(PLAIN)).toContain("git commit -m");
    expect(fleet.read("host-roles/web.yaml")).toBe(roleText(3, "one"));
    expect(fleet.generation()).toBe(3);
    expect(fleet.git("rev-parse", "HEAD").trim()).toBe(bad);
    await validated(fleet);
  });

  it("brings back what was removed, whatever bytes it has", async () => {
    const fleet = repository();
    const bytes = Uint8Array.of(0, 255, 254, 10);
    fleet.commit({ "roster/fleet.yaml": fleetText(2), "roster/known_hosts": bytes });
    const gone = fleet.commit({ "roster/fleet.yaml": fleetText(3), "roster/known_hosts": null });
    expect(await revert(fleet, gone, 3)).toMatchObject({ exitCode: 0 });
    expect(new Uint8Array(readFileSync(join(fleet.root, "roster/known_hosts")))).toEqual(bytes);
  });

  it("undoes an older commit on top of what came since, line by line", async () => {
    const fleet = repository();
    const end = "\n# what follows\n# is further down\n";
    fleet.commit({ "roster/fleet.yaml": fleetText(2, end) });
    const older = fleet.commit({
      "roster/fleet.yaml": fleetText(3, `rollout: { parallel: 7 }\n${end}`),
      "host-roles/web.yaml": roleText(2, "two"),
    });
    fleet.commit({
      "roster/fleet.yaml": fleetText(4, `rollout: { parallel: 7 }\n${end}drift: { heal: true }\n`),
      "roster/nodes/c.yaml": node("c"),
    });
    expect(await revert(fleet, older, 4)).toMatchObject({ exitCode: 0 });
    expect(fleet.read("roster/fleet.yaml")).toBe(fleetText(5, `${end}drift: { heal: true }\n`));
    expect(fleet.read("host-roles/web.yaml")).toBe(roleText(3, "one"));
    expect(fleet.read("roster/nodes/c.yaml")).toBe(node("c"));
    await validated(fleet);
  });

  it("refuses by name what has been changed on the same lines since, and writes nothing", async () => {
    const fleet = repository();
    const older = fleet.commit({ "roster/fleet.yaml": fleetText(2), "host-roles/web.yaml": roleText(2, "two") });
    fleet.commit({ "roster/fleet.yaml": fleetText(3), "host-roles/web.yaml": roleText(3, "three") });
    const result = await revert(fleet, older, 3);
    expect(result).toMatchObject({ exitCode: 1, document: { error: { code: "revert-conflict" } } });
    expect(result.text(PLAIN)).toContain("host-roles/web.yaml: the same lines");
    expect(fleet.git("status", "--porcelain")).toBe("");
  });

  it("takes a merge against its first parent, and works on what is not committed yet", async () => {
    const fleet = repository();
    fleet.git("switch", "--quiet", "-c", "side");
    fleet.commit({ "roster/fleet.yaml": fleetText(2), "roster/nodes/b.yaml": node("b") });
    fleet.git("switch", "--quiet", "main");
    fleet.git("merge", "--quiet", "--no-ff", "--no-edit", "side");
    writeFileSync(join(fleet.root, "roster/nodes/d.yaml"), node("d"));
    expect(await revert(fleet, "HEAD", 2)).toMatchObject({ exitCode: 0, document: { generation: 3 } });
    expect(fleet.git("status", "--porcelain").split("\n").sort()).toEqual(
      ["", " D roster/nodes/b.yaml", " M roster/fleet.yaml", "?? roster/nodes/d.yaml"].sort(),
    );
    expect(await revert(fleet, "HEAD", 3)).toMatchObject({ exitCode: 0, document: { changed: [], generation: 3 } });
  });

  it("says what cannot be: another generation, no such commit, nothing of ours, a parcel, what others still need", async () => {
    const fleet = repository();
    const role = fleet.commit({
      "roster/fleet.yaml": fleetText(2),
      "host-roles/db.yaml": roleText(1, "x").replaceAll("web", "db").replace("/etc/site", "/etc/db"),
    });
    expect(await revert(fleet, role, 1)).toMatchObject({ exitCode: 2, document: { ok: false } });
    expect(await revert(fleet, "nowhere", 2)).toMatchObject({ exitCode: 64 });
    expect(await revert(fleet, "--all", 2)).toMatchObject({ exitCode: 64 });
    fleet.commit({ "roster/fleet.yaml": fleetText(3), "roster/nodes/a.yaml": node("a", "roles: [web, db]\n") });
    expect(await revert(fleet, role, 3)).toMatchObject({
      exitCode: 1,
      document: { diagnostics: [{ code: "unknown-role" }] },
    });
    const readme = fleet.commit({ "README.md": "x" });
    expect(await revert(fleet, readme, 3)).toMatchObject({ document: { error: { code: "nothing-to-revert" } } });
    const parcel = fleet.commit({ "roster/fleet.yaml": fleetText(4), "parcels/p/parcel.yaml": "id: p\n" });
    expect(await revert(fleet, parcel, 4)).toMatchObject({
      document: { error: { message: expect.stringContaining("withdrawn") } },
    });
    expect(await revert(fleet, "parcel:p", 4)).toMatchObject({ document: { error: { code: "not-a-role" } } });
    expect(fleet.git("status", "--porcelain")).toBe("");
  });
});

describe("revert UNIT", () => {
  it("without a record goes to what stood before the newest change of the role", async () => {
    const fleet = repository();
    fleet.commit({ "roster/fleet.yaml": fleetText(2), "host-roles/web.yaml": roleText(5, "two") });
    fleet.commit({ "roster/fleet.yaml": fleetText(3), "roster/nodes/b.yaml": node("b") });
    expect(await revert(fleet, "role:web", 3)).toMatchObject({ exitCode: 0, document: { generation: 4 } });
    expect(fleet.read("host-roles/web.yaml")).toBe(roleText(6, "one"));
    expect(fleet.read("roster/nodes/b.yaml")).toBe(node("b"));
    await validated(fleet);
  });

  it("with a record goes to what the last completed rollout before had, files and all", async () => {
    const fleet = repository();
    const good = fleet.commit({
      "roster/fleet.yaml": fleetText(2),
      "host-roles/web.yaml": roleText(2, "two"),
      "host-roles/web/files/a": "a\n",
    });
    fleet.commit({
      "roster/fleet.yaml": fleetText(3),
      "host-roles/web.yaml": roleText(3, "three"),
      "host-roles/web/files/a": null,
      "host-roles/web/files/b": "b\n",
    });
    fleet.commit({ "roster/fleet.yaml": fleetText(4), "host-roles/web.yaml": roleText(4, "four") });
    const done = completedRollout({ digest: "a".repeat(64), generation: 2, commit: good });
    const failed = { ...completedRollout({ digest: "b".repeat(64), generation: 3, commit: "c".repeat(40) }) };
    const lines = Object.entries(failed).map(([path, text]) => [
      path,
      text.split("\n").slice(0, 2).join("\n").concat("\n"),
    ]);
    const result = await revert(fleet, "role:web", 4, { ...done, ...Object.fromEntries(lines) });
    expect(result).toMatchObject({ exitCode: 0, document: { from: good } });
    expect(result.text(PLAIN)).toContain("role:web@aaaaaaaaaaaa");
    expect(fleet.read("host-roles/web.yaml")).toBe(roleText(5, "two"));
    expect(
      fleet
        .git("status", "--porcelain")
        .split("\n")
        .map((line) => line.slice(3))
        .sort(),
    ).toEqual(
      ["", "host-roles/web.yaml", "host-roles/web/files/a", "host-roles/web/files/b", "roster/fleet.yaml"].sort(),
    );
    await validated(fleet);
  });

  it("says when there is nothing before, and no such role", async () => {
    const fleet = repository();
    expect(await revert(fleet, "role:web", 1)).toMatchObject({ document: { error: { code: "no-earlier-state" } } });
    expect(await revert(fleet, "role:wbe", 1)).toMatchObject({
      exitCode: 64,
      document: { error: { hint: "did you mean role:web?" } },
    });
  });
});

function completedRollout(of: { digest: string; generation: number; commit: string }): Record<string, string> {
  const shared = { at: "2026-11-30T10:00:00Z", run_id: "run-1", actor: "t" };
  const bodies: NewRolloutEvent[] = [
    {
      ...shared,
      event: "created",
      unit: "role:web",
      digest: of.digest,
      round: 1,
      generation: of.generation,
      commit: of.commit,
      created_by: "t",
      strategy: "safe",
      targets: [{ node: "a", action: "converge", digest: of.digest }],
      waves: [["a"]],
      reasons: { canary: "", second_look: { missing: true, why: "" }, warnings: [] },
      left_out: [],
    },
    { ...shared, event: "started" },
    { ...shared, event: "completed" },
  ];
  const lines = bodies.map((body, index) => `${JSON.stringify({ ...body, seq: index + 1 })}\n`);
  return { [segmentPath("role:web", of.digest, "run-1")]: lines.join("") };
}
