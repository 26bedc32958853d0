import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PathFact } from "../../src/model/node-facts.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import { parseQuestions, renderQuestions } from "../../src/shell/questions/index.ts";
import { fakeTools } from "./fake-tools.ts";
import { answerOf, inFolder, SHELLS } from "./real-shells.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const question = (path: string) => ({ path, hash: true, entries: true });

async function ask(
  shell: readonly string[],
  folder: string,
  paths: readonly string[],
  before = "",
): Promise<ReadonlyMap<string, PathFact>> {
  const questions = { ...NO_QUESTIONS, paths: paths.map(question) };
  const { frame } = await answerOf(shell, before + renderQuestions(questions), `${folder}/state`);
  expect(frame.status).toBe(0);
  return parseQuestions(frame.sections, questions).paths;
}

describe.each(SHELLS)("paths, asked by %s %s", (...shell) => {
  it("names are only names", () =>
    inFolder(async (folder) => {
      const names = [
        "a b",
        "it's",
        '"q"',
        "-rf",
        "back\\slash\\n",
        "$(id)",
        "ü-日本-\u{1f600}",
        "*",
        "a|b;c",
        "my\\x2dmount.mount",
      ];
      const paths = names.map((name) => `${folder}/${name}`);
      for (const path of paths) writeFileSync(path, path);
      const facts = await ask(shell, folder, paths);
      for (const path of paths) {
        expect(facts.get(path)?.found, path).toMatchObject({
          type: "file",
          sha256: sha256(path),
          size: Buffer.byteLength(path),
        });
      }
    }));

  it("links, directories, modes, and what is not there", () =>
    inFolder(async (folder) => {
      mkdirSync(`${folder}/empty`);
      mkdirSync(`${folder}/full/x`, { recursive: true });
      symlinkSync("a -> b", `${folder}/link`);
      symlinkSync(`${folder}/full`, `${folder}/to-full`);
      writeFileSync(`${folder}/tool`, "");
      chmodSync(`${folder}/tool`, 0o4711);
      const facts = await ask(
        shell,
        folder,
        ["empty", "full", "link", "to-full", "tool", "none", "none/x"].map((name) => `${folder}/${name}`),
      );
      const found = (name: string) => facts.get(`${folder}/${name}`)?.found;
      expect(found("empty")).toMatchObject({ type: "directory", empty: true, sha256: null });
      expect(found("full")).toMatchObject({ type: "directory", empty: false });
      expect(found("link")).toMatchObject({ type: "link", target: "a -> b", sha256: null });
      expect(found("to-full")).toMatchObject({ type: "link", target: `${folder}/full`, empty: null });
      expect(found("tool")).toMatchObject({ type: "file", mode: "4711", sha256: sha256("") });
      expect([found("none"), found("none/x")]).toEqual([null, null]);
    }));

  it("thousands cost a few processes, and a handful no more than one does", () =>
    inFolder(async (folder) => {
      const counting = fakeTools(folder, { stat: null, sha256sum: null, find: null });
      const calls = (): string[] => readFileSync(`${folder}/calls`, "utf8").split("\n").slice(0, -1).sort();
      const paths = Array.from({ length: 3000 }, (_all, index) => `${folder}/${index}`);
      for (const path of paths) writeFileSync(path, path);
      await ask(shell, folder, paths.slice(0, 1), counting);
      expect(calls()).toEqual(["find", "sha256sum", "stat"]);
      writeFileSync(`${folder}/calls`, "");
      await ask(shell, folder, paths.slice(0, 200), counting);
      expect(calls()).toEqual(["find", "sha256sum", "stat"]);
      writeFileSync(`${folder}/calls`, "");
      const facts = await ask(shell, folder, paths, counting);
      expect(calls().length).toBeLessThanOrEqual(30);
      expect(paths.filter((path) => facts.get(path)?.found?.sha256 !== sha256(path))).toEqual([]);
    }));

  it("(34) where a tool does not do its work there is no fact, and never an empty hash", () =>
    inFolder(async (folder) => {
      const path = `${folder}/f`;
      writeFileSync(path, "x");
      const fails = "echo usage; exit 1";
      expect(await ask(shell, folder, [path], fakeTools(folder, { stat: fails }))).toEqual(new Map());
      const found = await ask(
        shell,
        folder,
        [path, folder],
        fakeTools(folder, { stat: null, sha256sum: fails, find: "exit 2" }),
      );
      expect(found.get(path)?.found).toMatchObject({ type: "file", sha256: null });
      expect(found.get(folder)?.found).toMatchObject({ type: "directory", empty: null });
    }));

  it("asking for a file to be hashed never opens anything else", () =>
    inFolder(async (folder) => {
      writeFileSync(`${folder}/f`, "x");
      symlinkSync("f", `${folder}/link`);
      mkdirSync(`${folder}/d`);
      const noting = fakeTools(folder, {
        sha256sum: `for a; do echo "$a"; done >${folder}/hashed; exec /usr/bin/env -i sha256sum "$@"`,
      });
      await ask(
        shell,
        folder,
        ["f", "link", "d", "none"].map((name) => `${folder}/${name}`),
        noting,
      );
      expect(readFileSync(`${folder}/hashed`, "utf8")).toBe(`${folder}/f\n`);
    }));
});

describe("what a node prints", () => {
  const parse = (section: string, ...paths: string[]) =>
    parseQuestions(new Map([["paths", section]]), { ...NO_QUESTIONS, paths: paths.map(question) }).paths;
  const root = '41ed:4096:0:0:root:root:/\n"/"\n';

  it("owners without a name are numbers", () => {
    const facts = parse(
      `stat\n${root}81a4:1:4711:4712:UNKNOWN:UNKNOWN:/f\n"/f"\n81a4:1:0:0:domain user:\xc3\xbc:/g\n"/g"\n`,
      "/f",
      "/g",
    );
    expect(facts.get("/f")?.found).toMatchObject({ owner: "4711", group: "4712", uid: 4711, gid: 4712 });
    expect(facts.get("/g")?.found).toMatchObject({ owner: "domain user", group: "ü" });
  });

  it("(35) a hash is 64 digits, whether its name is escaped or not", () => {
    const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const stats = `stat\n${root}81a4:0:0:0:root:root:/a\\b\n"/a\\\\b"\n`;
    for (const line of [`\\${sum}  /a\\\\b`, `${sum}  /a\\b`, `${sum} */a\\b`]) {
      expect(parse(`${stats}sha256\n${line}\n`, "/a\\b").get("/a\\b")?.found).toMatchObject({ sha256: sum });
    }
  });

  it("devices, pipes and sockets are other", () => {
    const facts = parse(
      `stat\n${root}21b6:0:0:0:root:root:/c\n"/c"\n11a4:0:0:0:root:root:/p\n"/p"\nc1ed:0:0:0:root:root:/s\n"/s"\n61b0:0:0:0:root:root:/b\n"/b"\n`,
      "/c",
      "/p",
      "/s",
      "/b",
    );
    expect([...facts.values()].map((fact) => fact.found?.type)).toEqual(["other", "other", "other", "other"]);
  });

  it("nothing that a node prints makes the reader fail, or makes up a hash", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "stat\n",
        "sha256\n",
        "empty\n",
        root,
        "find 0\n",
        '81a4:1:0:0:root:root:/f\n"/f"\n',
        "\\",
        "\0",
        "\xff",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        for (const { found } of parse(pieces.join(""), "/f").values()) {
          expect(found?.sha256 ?? "").toMatch(/^([0-9a-f]{64})?$/);
        }
      }),
    );
  });
});
