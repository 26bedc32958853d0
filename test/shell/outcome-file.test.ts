import { mkdirSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseOutcome, progressOf, READ_PROGRESS, runRecord } from "../../src/shell/outcome-file.ts";
import { answerOf, inFolder, SHELLS } from "./real-shells.ts";

const RUN = [
  "run 7 20261130T182200Z-3f9c2a",
  "start 0",
  "end 0 done",
  "start 1",
  "end 1 failed 1 disk-full",
  "log No space left",
  "log on device",
  "end 2 skipped blocked",
  "start 3",
  "end 3 failed 137 -",
  "log out of memory",
  "start 4",
].join("\n");

describe("parseOutcome", () => {
  it("reads what became of each step", () => {
    const outcome = parseOutcome(`${RUN}\n`);
    expect(outcome).toMatchObject({ run: { epoch: 7, runId: "20261130T182200Z-3f9c2a" }, ended: false, fenced: false });
    expect(outcome.steps).toEqual([
      { index: 0, state: "done", code: null, detail: "" },
      { index: 1, state: "failed", code: "disk-full", detail: "No space left\non device" },
      { index: 2, state: "skipped", code: null, detail: expect.stringContaining("failed") },
      { index: 3, state: "failed", code: "command-failed", detail: "out of memory\nended by signal 9" },
      { index: 4, state: "cut-off", code: null, detail: "" },
    ]);
  });

  it("cut at any byte says nothing that the whole does not say", () => {
    const whole = new Map(parseOutcome(`${RUN}\n`).steps.map((step) => [step.index, step.state]));
    for (let cut = 0; cut < RUN.length; cut++) {
      const outcome = parseOutcome(RUN.slice(0, cut));
      expect(outcome.ended).toBe(false);
      for (const { index, state } of outcome.steps) expect(["cut-off", whole.get(index)]).toContain(state);
    }
  });

  it("knows that a run ended, and who fenced it", () => {
    expect(parseOutcome("run 1 a\nfenced 2 b\nended\n")).toMatchObject({
      ended: true,
      fenced: true,
      fencedBy: { epoch: 2, runId: "b" },
    });
    expect(parseOutcome("run 1 a\nfenced \nended\n")).toMatchObject({ fenced: true, fencedBy: null });
    expect(parseOutcome("run 1 a\nend")).toMatchObject({ ended: false });
  });

  it("takes no code and no words that are not ours", () => {
    const words = "x".repeat(5000);
    const [step] = parseOutcome(`start 0\nend 0 failed 1 rm -rf\nlog ${words}\nlog \x1b[2J\n`).steps;
    expect(step?.code).toBe("command-failed");
    expect(step?.detail.length).toBe(2000);
    expect(step?.detail.endsWith("\ufffd[2J")).toBe(true);
  });

  it("never throws, whatever a node has in that file", () => {
    const line = fc.oneof(
      fc
        .constantFrom("run", "start", "end", "log", "ended", "fenced")
        .chain((word) => fc.string().map((rest) => `${word} ${rest}`)),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const outcome = parseOutcome(lines.join("\n"));
        progressOf(runRecord(outcome));
      }),
    );
  });
});

describe.each(SHELLS)("rc_read_progress in %s %s", (...shell) => {
  const shellProgress = (outcome: string | null): Promise<string | undefined> =>
    inFolder(async (folder) => {
      if (outcome !== null) {
        mkdirSync(`${folder}/runs/r`, { recursive: true });
        writeFileSync(`${folder}/last`, "r\n");
        writeFileSync(`${folder}/runs/r/outcome`, outcome);
      }
      const body = `${READ_PROGRESS}\nrc_read_progress\nrc_section p\nprintf %s "$rc_progress"`;
      return (await answerOf(shell, body, folder)).frame.sections.get("p");
    });

  it.each([
    ["nothing", null],
    ["a run that has not begun a step", "run 1 a\n"],
    ["a run at work", `${RUN}\n`],
    ["a run that has ended", `${RUN}\nend 4 done\nended\n`],
    ["a torn last line", `${RUN}\nend 4 d`],
    ["no record of ours", "nonsense\n"],
  ])("says of %s what the controller says of its record", async (_what, outcome) => {
    expect(await shellProgress(outcome)).toBe(progressOf(runRecord(parseOutcome(outcome ?? ""))));
  });
});
