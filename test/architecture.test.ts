import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fileViolations } from "./architecture/files.ts";
import { importViolations, PURE_FOLDERS, type SourceFile } from "./architecture/imports.ts";

const code = /\.(ts|mts|mjs|sh)$/;
const repository: SourceFile[] = ["src", "test"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`))
  .filter((path) => code.test(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

describe("the map of src/README.md", () => {
  it("is read from more than nothing", () => {
    expect(repository.filter((file) => file.path.startsWith("src/")).length).toBeGreaterThan(20);
  });
  it("holds for every import", () => expect(importViolations(repository)).toEqual([]));
  it("has its pure folders compiled as such", () => {
    const { include } = JSON.parse(readFileSync("tsconfig.pure.json", "utf8")) as { include: string[] };
    const there = PURE_FOLDERS.filter((folder) => existsSync(`src/${folder}`)).map((folder) => `src/${folder}`);
    expect(include.filter((entry) => !entry.endsWith(".d.ts")).sort()).toEqual(there.sort());
  });
  it("holds for every file", () => expect(fileViolations(repository)).toEqual([]));
});

describe("the guard itself", () => {
  const one = (path: string, ...imports: string[]): SourceFile => ({
    path,
    text: imports.map((target) => `import "${target}";`).join("\n"),
  });

  it.each([
    ["upward", one("src/kit/a.ts", "../model/b.ts"), "kit must not import model"],
    [
      "upward, types only",
      { path: "src/plan/a.ts", text: 'import type { B } from "../engine/b.ts";' },
      "plan must not import engine",
    ],
    [
      "upward, import() type",
      { path: "src/plan/a.ts", text: 'type B = import("../render/b.ts").B;' },
      "plan must not import render",
    ],
    [
      "upward, re-export",
      { path: "src/shell/a.ts", text: 'export * from "../resources/b.ts";' },
      "shell must not import resources",
    ],
    [
      "upward, lazily",
      { path: "src/render/a.ts", text: 'await import("../engine/b.ts");' },
      "render must not import engine",
    ],
    ["between neighbours", one("src/gates/a.ts", "../resources/contract.ts"), "gates must not import resources"],
    ["of an adapter by the engine", one("src/engine/a.ts", "../adapters/ssh/b.ts"), "engine must not import adapters"],
    ["of the pure part by an adapter", one("src/adapters/a.ts", "../plan/b.ts"), "adapters must not import plan"],
    ["of main", one("src/commands/a.ts", "../main.ts"), "commands must not import main"],
    ["of tests", one("src/kit/a.ts", "../../test/kit/a.ts"), "outside src/"],
    ["of node: in the pure part", one("src/engine/a.ts", "node:fs"), "engine must not import node:fs"],
    ["of a package in the pure part", one("src/plan/a.ts", "zod"), "plan must not import zod"],
    [
      "of a scoped package out of its place",
      one("src/model/a.ts", "@noble/hashes/sha2.js"),
      "must not import @noble/hashes/sha2.js",
    ],
  ])("refuses an import %s", (_what, file, message) => {
    expect(importViolations([file])).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ["a member that imports a member", one("src/resources/a.ts", "./b.ts")],
    ["a member that imports the index", one("src/resources/a.ts", "./index.ts")],
    ["an outsider that imports a member", one("src/plan/a.ts", "../resources/b.ts")],
  ])("refuses %s of a catalogue", (_what, file) => {
    const index = one("src/resources/index.ts", "./contract.ts", "./a.ts", "./b.ts");
    expect(importViolations([index, file])).toContainEqual(expect.stringContaining("through its index only"));
  });

  it("lets members share what the index does not list", () => {
    const index = one("src/resources/index.ts", "./a.ts", "./b.ts");
    const a = one("src/resources/a.ts", "./contract.ts", "./ownership.ts", "zod");
    expect(importViolations([index, a, one("src/resources/b.ts", "./ownership.ts")])).toEqual([]);
  });

  it("refuses cycles, however long", () => {
    const ring = [one("src/kit/a.ts", "./b.ts"), one("src/kit/b.ts", "./c.ts"), one("src/kit/c.ts", "./a.ts")];
    expect(importViolations(ring)).toEqual(["src/kit/a.ts: imports itself by way of src/kit/b.ts, src/kit/c.ts"]);
  });

  it("refuses a folder that is not on the map", () => {
    expect(importViolations([one("src/attic/a.ts", "../kit/b.ts")])).toEqual([
      expect.stringContaining("not on the map"),
    ]);
  });

  it.each([
    ["too long", { path: "src/a.ts", text: `${"\n".repeat(300)}x` }, "has 301 lines"],
    ["a catch-all", { path: "src/plan/utils.ts", text: "" }, 'named "utils"'],
    ["a catch-all test", { path: "test/plan/helpers.test.ts", text: "" }, 'named "helpers"'],
    ["a default export", { path: "src/plan/a.ts", text: "export default 1;\n" }, "default export"],
    ["a default export by name", { path: "src/plan/a.ts", text: "export { a as default };\n" }, "default export"],
  ])("refuses a file: %s", (_what, file, message) => {
    expect(fileViolations([file])).toEqual([expect.stringContaining(message)]);
  });

  it("accepts what it should", () => {
    expect(fileViolations([{ path: "src/agents/service.ts", text: "x\n".repeat(300) }])).toEqual([]);
    expect(importViolations([one("src/main.ts", "./adapters/ssh/a.ts", "ssh2", "node:fs", "./commands/b.ts")])).toEqual(
      [],
    );
    expect(importViolations([one("src/adapters/a.ts", "../ports.ts", "../shell/b.ts", "node:net")])).toEqual([]);
  });
});
