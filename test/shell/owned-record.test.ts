import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { OwnedResource } from "../../src/model/owned-resource.ts";
import { ownedLine, parseOwned } from "../../src/shell/owned-record.ts";
import { commandStep, tryChange, tryObserve } from "./change-trial.ts";
import { inFolder, SHELLS } from "./real-shells.ts";

const file = (path: string, role = "web"): OwnedResource => ({
  role,
  type: "file",
  id: `file:${path}`,
  removal: { path, state: "absent" },
});
const [a, b, c] = [file("/etc/a 'b' \"c\" \\ $d"), file("/etc/ä/☃/\u{1f600}"), file("/etc/c")];
const command: OwnedResource = { role: "web", type: "command", id: "command:build the index", removal: null };
const first = { runId: "run-1", epoch: 1, seen: null };

describe.each(SHELLS)("the record of what is rollcall's in %s %s", (...shell) => {
  it("comes back as it was written, only root's, and is read beside the last run", () =>
    inFolder(async (folder) => {
      const after = [a, b, command].map((resource) => ({ resource, only: null }));
      const owned = { before: [c], after };
      const { facts, answer } = await tryChange(shell, folder, { ...first, steps: [commandStep("true")], owned });
      expect(answer.frame.status).toBe(0);
      expect(facts.owned).toEqual({ resources: [a, b, command], rejected: 0 });
      expect(facts.lastRun).toMatchObject({ runId: "run-1", ended: true, steps: [{ state: "done" }] });
      expect(statSync(`${folder}/owned`).mode & 0o777).toBe(0o600);
      expect((await tryObserve(shell, folder)).owned.resources).toEqual([a, b, command]);
    }));

  it("says before the first step what may come to be there, and after the last one what did", () =>
    inFolder(async (folder) => {
      const steps = [
        commandStep(`cp ${folder}/owned ${folder}/seen`, "one"),
        commandStep("exit 3", "two"),
        commandStep("true", "two"),
        commandStep("true", "gone"),
      ];
      const owned = {
        before: [a, b, c, command],
        after: [
          { resource: a, only: { step: 0, done: true } },
          { resource: b, only: { step: 1, done: true } },
          { resource: c, only: { step: 2, done: false } },
          { resource: command, only: { step: 3, done: false } },
        ],
      };
      const { facts } = await tryChange(shell, folder, { ...first, steps, owned });
      const seen = readFileSync(`${folder}/seen`, "utf8").split("\n");
      expect(parseOwned(seen).resources).toEqual([a, b, c, command]);
      expect(facts.owned.resources).toEqual([a, c]);
    }));

  it("is written only where it differs, and without steps too", () =>
    inFolder(async (folder) => {
      const owned = { before: [a], after: [{ resource: a, only: null }] };
      await tryChange(shell, folder, { ...first, steps: [], owned });
      const { ino } = statSync(`${folder}/owned`);
      const second = { runId: "run-2", epoch: 2, seen: { epoch: 1, runId: "run-1" }, steps: [] };
      await tryChange(shell, folder, { ...second, owned });
      expect(statSync(`${folder}/owned`).ino).toBe(ino);
      const third = { runId: "run-3", epoch: 3, seen: { epoch: 2, runId: "run-2" }, steps: [] };
      const { facts } = await tryChange(shell, folder, { ...third, owned: { before: [a], after: [] } });
      expect(facts.owned).toEqual({ resources: [], rejected: 0 });
    }));

  it("stays as it is when a change says nothing of it", () =>
    inFolder(async (folder) => {
      mkdirSync(`${folder}/runs`);
      writeFileSync(`${folder}/owned`, `${ownedLine(a)}\n`);
      const { facts } = await tryChange(shell, folder, { ...first, steps: [commandStep("true")] });
      expect(facts.owned.resources).toEqual([a]);
    }));
});

describe("a record that somebody else wrote", () => {
  const line = (value: unknown) => `own ${JSON.stringify(value)}`;
  it.each([
    ["no JSON", "own {"],
    ["another shape", line([])],
    ["no role's name", line({ ...a, role: "../x" })],
    ["an unknown type", line({ ...a, type: "agent" })],
    ["an unknown key", line({ ...a, run: "x" })],
    ["a removal that is not text", line({ ...a, removal: { path: ["/etc"] } })],
    ["a removal without end", line({ ...a, removal: { path: `/${"x".repeat(5000)}` } })],
    ["a line without end", `own ${" ".repeat(200_000)}${JSON.stringify(a)}`],
  ])("is counted and not believed: %s", (_what, text) => {
    expect(parseOwned([text, ownedLine(c)])).toEqual({ resources: [c], rejected: 1 });
  });

  it("is not read further than any node's can be long", () => {
    const lines = Array.from({ length: 10_003 }, (_, index) => ownedLine(file(`/etc/${index}`)));
    expect(parseOwned(lines)).toMatchObject({ resources: { length: 10_000 }, rejected: 3 });
  });
});
