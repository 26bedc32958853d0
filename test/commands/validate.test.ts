import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { runValidate } from "../../src/commands/validate.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { gitFleet } from "../desired/git-fleet.ts";
import { FLEET, node } from "../desired/text-files.ts";

const validate = (root: string) => runValidate(gitRepository(root), { base: null });

describe("validate", () => {
  it("finds nothing wrong with the example fleet of this repository", async () => {
    const { exitCode, document, text } = await validate(".");
    expect([exitCode, document]).toEqual([0, { ok: true, generation: expect.any(Number), diagnostics: [] }]);
    expect(text(PLAIN)).toMatch(/^valid/);
  });

  it("says everything that is wrong at once, in the order of the files, and exits 1", async () => {
    const { root, write } = gitFleet();
    write({
      "roster/fleet.yaml": FLEET,
      "roster/nodes/b.yaml": node("b", "roles: [web, web]\njump: c\n"),
      "roster/nodes/a.yaml": "name: a\nclass: ! server\n",
      "host-roles/web.yaml": "role: www\nversion: 1\nversion: 2\n",
      "host-roles/gone/files/x": "x",
    });
    const { exitCode, document, text } = await validate(root);
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({ ok: false, generation: 42 });
    const lines = text(PLAIN)
      .split("\n")
      .filter((line) => /^\S+:\d/.test(line));
    expect(lines.map((line) => line.replace(/: .*/, ""))).toEqual([
      "host-roles/gone/files/x:1:1 warning unused-file",
      "host-roles/web.yaml:1:1 error missing-key",
      "host-roles/web.yaml:1:1 error missing-key",
      "host-roles/web.yaml:3:1 error duplicate-key",
      "roster/nodes/a.yaml:1:1 error missing-key",
      "roster/nodes/a.yaml:2:8 error yaml-tag",
      "roster/nodes/b.yaml:4:14 error repeated-name",
      "roster/nodes/b.yaml:5:7 error unknown-jump",
    ]);
  });

  it("is content with warnings", async () => {
    const { root, write } = gitFleet();
    write({ "roster/fleet.yaml": FLEET.replaceAll("\n", "\r\n") });
    const { exitCode, document, text } = await validate(root);
    expect([exitCode, document]).toMatchObject([0, { ok: true, diagnostics: [{ code: "carriage-return" }] }]);
    expect(text(PLAIN)).toContain("valid, with 1 warning");
  });

  it("says what a folder without a fleet lacks", async () => {
    const { root } = gitFleet();
    expect(await validate(root)).toMatchObject({
      exitCode: 1,
      document: { ok: false, generation: null, diagnostics: [{ code: "missing-file" }] },
    });
  });

  it("does not read what a link in a pull request points to on the runner", async () => {
    const { root, write } = gitFleet();
    write({
      "roster/fleet.yaml": FLEET,
      "host-roles/web.yaml":
        "role: web\nversion: 1\ndescription: d\nresources:\n  - { type: file, path: /etc/x, source: key }\n",
    });
    mkdirSync(`${root}/host-roles/web/files`, { recursive: true });
    symlinkSync("/etc/hostname", `${root}/host-roles/web/files/key`);
    const { document } = await validate(root);
    const { diagnostics } = document as { diagnostics: { code: string }[] };
    expect(diagnostics.map(({ code }) => code)).toEqual(["source-missing", "refused-file"]);
  });
});
