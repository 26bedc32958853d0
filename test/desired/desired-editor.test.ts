import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { desiredEditor } from "../../src/adapters/desired-editor.ts";
import { runGenerationBump } from "../../src/commands/generation.ts";
import { runNodeAdd, runNodeRemove, runNodeSet } from "../../src/commands/node-edit.ts";
import { gitFleet, temporaryFolder } from "./git-fleet.ts";
import { FLEET, node } from "./text-files.ts";

const FILES = { "roster/fleet.yaml": `# fleet\n${FLEET}`, "roster/nodes/a.yaml": node("a") };

function fleet() {
  const repository = gitFleet();
  repository.commit(FILES);
  const read = (path: string) => readFileSync(join(repository.root, path), "utf8");
  return { ...repository, read, everything: () => readdirSync(repository.root, { recursive: true, encoding: "utf8" }) };
}

/** Names that an edit leaves behind while it is at work, and must not after it. */
const leftovers = (names: readonly string[]) => names.filter((name) => /rollcall-(staged|edit)/.test(name));

describe("an edit in a working tree", () => {
  it("adds, sets and removes a node, each with its bump", async () => {
    const { root, read, everything } = fleet();
    const editor = desiredEditor(root);
    const added = await runNodeAdd(editor, {
      name: "b",
      words: ["class=server", "address=b.example.org"],
      generation: 42,
    });
    expect(added).toMatchObject({
      exitCode: 0,
      document: { ok: true, generation: 43, changed: ["roster/fleet.yaml", "roster/nodes/b.yaml"] },
    });
    expect(read("roster/nodes/b.yaml")).toBe("name: b\nclass: server\naddress: b.example.org\n");
    await runNodeSet(editor, { name: "b", words: ["jump=a"], generation: 43 });
    expect(await runNodeRemove(editor, { name: "a", generation: 44 })).toMatchObject({
      exitCode: 1,
      document: { ok: false, diagnostics: [{ code: "node-in-use" }] },
    });
    expect(await runNodeRemove(editor, { name: "b", generation: 44 })).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(root, "roster/nodes/b.yaml"))).toBe(false);
    expect(await runGenerationBump(editor, { generation: 45, above: null })).toMatchObject({ exitCode: 0 });
    expect(read("roster/fleet.yaml")).toBe("# fleet\nversion: 2\ngeneration: 46\n");
    expect(leftovers(everything())).toEqual([]);
  });

  it("does not touch a file when nothing changes or the number is stale", async () => {
    const { root, git } = fleet();
    const before = statSync(join(root, "roster/fleet.yaml")).mtimeMs;
    const same = await runNodeSet(desiredEditor(root), { name: "a", words: ["class=server"], generation: 42 });
    expect(same).toMatchObject({ exitCode: 0, document: { ok: true, generation: 42, changed: [] } });
    const stale = await runNodeSet(desiredEditor(root), { name: "a", words: ["class=x"], generation: 41 });
    expect(stale).toMatchObject({ exitCode: 2, document: { diagnostics: [{ code: "stale-generation" }] } });
    expect(await runNodeSet(desiredEditor(root), { name: "a", words: ["colour=red"], generation: 42 })).toMatchObject({
      exitCode: 64,
    });
    expect(statSync(join(root, "roster/fleet.yaml")).mtimeMs).toBe(before);
    expect(git("status", "--porcelain")).toBe("");
  });

  it("keeps permissions, and writes what a link leads to, not the link", async () => {
    const { root, read } = fleet();
    const path = join(root, "roster/nodes/a.yaml");
    chmodSync(path, 0o600);
    writeFileSync(join(root, "roster/real.txt"), read("roster/fleet.yaml"));
    rmSync(join(root, "roster/fleet.yaml"));
    symlinkSync("real.txt", join(root, "roster/fleet.yaml"));
    await runNodeSet(desiredEditor(root), { name: "a", words: ["class=desktop"], generation: 42 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(root, "roster/fleet.yaml")).isSymbolicLink()).toBe(true);
    expect(read("roster/real.txt")).toContain("generation: 43");
  });

  it("that fails on its way takes the way back", async () => {
    const { root, read, everything } = fleet();
    let effects = 0;
    const editor = desiredEditor(root, {
      beforeEffect: () => {
        if (effects++ === 1) throw new Error("the disk is gone");
      },
    });
    await expect(runNodeSet(editor, { name: "a", words: ["class=x"], generation: 42 })).rejects.toThrow(
      "the disk is gone",
    );
    expect(read("roster/fleet.yaml")).toBe(FILES["roster/fleet.yaml"]);
    expect(read("roster/nodes/a.yaml")).toBe(FILES["roster/nodes/a.yaml"]);
    expect(leftovers(everything())).toEqual([]);
    expect(await runNodeSet(desiredEditor(root), { name: "a", words: ["class=x"], generation: 42 })).toMatchObject({
      exitCode: 0,
    });
  });

  it("works in a folder without git", async () => {
    const root = temporaryFolder();
    expect(await runGenerationBump(desiredEditor(root), { generation: null, above: null })).toMatchObject({
      exitCode: 1,
    });
    expect(readdirSync(root)).toEqual([]);
    mkdirSync(join(root, "roster"));
    writeFileSync(join(root, "roster/fleet.yaml"), FLEET);
    expect(await runGenerationBump(desiredEditor(root), { generation: null, above: null })).toMatchObject({
      exitCode: 0,
    });
    expect(readdirSync(root, { recursive: true })).toEqual(["roster", "roster/fleet.yaml"]);
  });
});

describe("fifty writers with one number", () => {
  it("one wins, and the others fail before anything is written", async () => {
    const { root, read, everything } = fleet();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        runNodeSet(desiredEditor(root), { name: "a", words: [`vars.writer=w${index}`], generation: 42 }),
      ),
    );
    expect(answers.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    expect(answers.filter(({ exitCode }) => exitCode === 2)).toHaveLength(49);
    const winner = answers.findIndex(({ exitCode }) => exitCode === 0);
    expect(read("roster/nodes/a.yaml")).toBe(`${node("a")}vars: { writer: w${winner} }\n`);
    expect(read("roster/fleet.yaml")).toContain("generation: 43");
    expect(leftovers(everything())).toEqual([]);
  });
});

describe("processes of their own", () => {
  let script = "";
  beforeAll(async () => {
    const folder = join(process.cwd(), "node_modules/.cache/rollcall-tests");
    script = join(folder, `editor-child-${process.pid}.mjs`);
    const entryPoints = [fileURLToPath(new URL("./editor-child.ts", import.meta.url))];
    await build({
      entryPoints,
      outfile: script,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "error",
    });
  });

  afterAll(() => rmSync(script, { force: true }));

  const child = (...words: string[]) =>
    new Promise<number | string>((resolve) => {
      execFile(process.execPath, [script, ...words], (error) => resolve(error?.signal ?? (error?.code as number) ?? 0));
    });

  it("with one number: one wins", async () => {
    const { root, read } = fleet();
    const codes = await Promise.all(
      Array.from({ length: 5 }, (_, index) => child(root, "42", `vars.writer=w${index}`)),
    );
    expect([...codes].sort()).toEqual([0, 2, 2, 2, 2]);
    expect(read("roster/fleet.yaml")).toContain("generation: 43");
  }, 60_000);

  it.each([0, 1])(
    "killed before effect %i: never the edit without its bump, and the next edit goes through",
    async (at) => {
      const { root, read, everything, git } = fleet();
      expect(await child(root, "42", "class=desktop", String(at))).toBe("SIGKILL");
      const generation = at === 0 ? 42 : 43;
      expect(read("roster/fleet.yaml")).toContain(`generation: ${generation}`);
      expect(read("roster/nodes/a.yaml")).toBe(FILES["roster/nodes/a.yaml"]);
      expect(leftovers(everything()).length).toBeGreaterThan(0);
      const next = await runNodeSet(desiredEditor(root), { name: "a", words: ["class=desktop"], generation });
      expect(next).toMatchObject({ exitCode: 0, document: { generation: generation + 1 } });
      expect(read("roster/nodes/a.yaml")).toContain("class: desktop");
      expect(leftovers(everything())).toEqual([]);
      expect(git("status", "--porcelain")).toBe(" M roster/fleet.yaml\n M roster/nodes/a.yaml\n");
    },
    60_000,
  );

  it("that are gone are taken over from, by one of many", async () => {
    const { root, read } = fleet();
    await child(root, "42", "class=desktop", "0");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        runNodeSet(desiredEditor(root), { name: "a", words: [`vars.writer=w${index}`], generation: 42 }),
      ),
    );
    expect(answers.map(({ exitCode }) => exitCode).sort()).toEqual([0, ...Array.from({ length: 19 }, () => 2)]);
    expect(read("roster/fleet.yaml")).toContain("generation: 43");
  }, 60_000);
});

describe("a lock", () => {
  const place = (root: string) => join(root, ".git/rollcall-edit.lock");
  const hold = (root: string, holder: object) => writeFileSync(place(root), JSON.stringify(holder));
  const bump = (root: string) =>
    runGenerationBump(desiredEditor(root, { patience: 30 }), { generation: null, above: null });

  it("of a process that runs is respected", async () => {
    const { root } = fleet();
    hold(root, { pid: process.pid, host: hostname(), began: null, token: "x" });
    expect(await bump(root)).toMatchObject({
      exitCode: 2,
      document: {
        error: {
          code: "busy",
          message: expect.stringContaining(`process ${process.pid}`),
          hint: expect.stringContaining(place(root)),
        },
      },
    });
  });

  it("of another machine is respected, since nothing is known of it", async () => {
    const { root } = fleet();
    hold(root, { pid: 1, host: "elsewhere.example.org", began: null, token: "x" });
    expect(await bump(root)).toMatchObject({ exitCode: 2, document: { error: { code: "busy" } } });
  });

  it.runIf(existsSync("/proc/self/stat"))("of a number that now belongs to another process is not", async () => {
    const { root } = fleet();
    hold(root, { pid: process.pid, host: hostname(), began: "another boot/1", token: "x" });
    expect(await bump(root)).toMatchObject({ exitCode: 0 });
    expect(existsSync(place(root))).toBe(false);
  });
});
