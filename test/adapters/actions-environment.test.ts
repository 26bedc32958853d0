import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventFromEnvironment, runFromEnvironment } from "../../src/adapters/github/actions-environment.ts";
import { annotationCommand, groupCommands, maskCommand } from "../../src/adapters/github/workflow-commands.ts";
import { SUMMARY_LIMIT } from "../../src/ports/workflow-run.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-actions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hearing() {
  const heard: string[] = [];
  return { heard, log: { write: (text: unknown) => heard.push(String(text)) > 0 } };
}

describe("a command to the runner", () => {
  it("is one line whatever it says, and its properties cannot be forged", () => {
    const command = annotationCommand({
      level: "error",
      title: "a,file=b::c",
      text: "100%\r\n::add-mask::x",
      file: "a:b,line=9.yaml",
      line: 3,
    });
    expect(command).toBe(
      "::error file=a%3Ab%2Cline=9.yaml,line=3,title=a%2Cfile=b%3A%3Ac::100%25%0D%0A::add-mask::x\n",
    );
  });

  it("has no line without a file", () => {
    const command = annotationCommand({ level: "warning", title: "t", text: "x", file: null, line: 3 });
    expect(command).toBe("::warning title=t::x\n");
  });

  it("is not read between the lines of a group", () => {
    const [open, stop, ...rest] = groupCommands("Plan", "::add-mask::x\n##[error]y").split("\n");
    const [, word = ""] = /^::stop-commands::(\S+)$/.exec(stop ?? "") ?? [];
    expect(open).toBe("::group::Plan");
    expect(word.length).toBeGreaterThan(20);
    expect(rest).toEqual(["::add-mask::x", "##[error]y", `::${word}::`, "::endgroup::", ""]);
    expect(groupCommands("Plan", "")).not.toContain(word);
  });

  it("masks", () => expect(maskCommand("a%b")).toBe("::add-mask::a%25b\n"));
});

describe("the run of a workflow", () => {
  it("writes summary, outputs and documents where GitHub says", async () => {
    const folder = emptyFolder();
    const { heard, log } = hearing();
    const files = { GITHUB_STEP_SUMMARY: join(folder, "summary"), GITHUB_OUTPUT: join(folder, "output") };
    const environment = {
      ...files,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "a/b",
      GITHUB_RUN_ID: "7",
    };
    const run = runFromEnvironment(environment, { folder: join(folder, "documents"), log });
    await run.summary("first");
    await run.summary("second");
    await run.output("a", "1\nb=2");
    await run.output("c", "3");
    await run.document("plan.json", { a: 1 });
    await run.document("../plan.md", "text");
    expect(run.url).toBe("https://github.com/a/b/actions/runs/7");
    expect(readFileSync(files.GITHUB_STEP_SUMMARY, "utf8")).toBe("second");
    expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toBe("a=1 b=2\nc=3\n");
    expect(readdirSync(join(folder, "documents")).sort()).toEqual(["plan.json", "plan.md"]);
    run.mask("one\ntwo");
    expect(heard).toEqual(["::add-mask::one\n", "::add-mask::two\n"]);
  });

  it("keeps a summary within GitHub's limit, in whole lines", async () => {
    const folder = emptyFolder();
    const summary = join(folder, "summary");
    const run = runFromEnvironment({ GITHUB_STEP_SUMMARY: summary }, { folder: null, log: hearing().log });
    await run.summary("é line\n".repeat(200_000));
    const text = readFileSync(summary, "utf8");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(SUMMARY_LIMIT);
    const lines = text.trimEnd().split("\n");
    expect(lines.at(-1)).toContain("over GitHub's limit");
    expect(new Set(lines.slice(0, -2))).toEqual(new Set(["é line"]));
  });

  it("goes on when a place cannot be written, and says so", async () => {
    const { heard, log } = hearing();
    const run = runFromEnvironment({ GITHUB_STEP_SUMMARY: join(emptyFolder(), "none/summary") }, { folder: null, log });
    await run.summary("x");
    expect(heard.join("")).toMatch(/^::warning title=rollcall::the summary could not be written: /);
    expect(run.url).toBeNull();
  });
});

describe("the event of a workflow", () => {
  const read = (name: string, text: string | null) => {
    const path = join(emptyFolder(), "event.json");
    if (text !== null) writeFileSync(path, text);
    return eventFromEnvironment({ GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path });
  };
  const side = { sha: "a".repeat(40), ref: "main", repo: { full_name: "a/b" } };

  it("is read so far as it is used", async () => {
    const payload = { number: 7, more: "x", pull_request: { head: { ...side, repo: null }, base: side, title: "t" } };
    const event = await read("pull_request", JSON.stringify(payload));
    expect(event).toEqual({
      name: "pull_request",
      payload: { number: 7, pull_request: { head: { ...side, repo: null }, base: side } },
    });
  });

  it.each([
    ["no file", "push", null],
    ["no JSON", "push", "{"],
    ["another number", "pull_request", JSON.stringify({ number: "7", pull_request: { head: side, base: side } })],
    [
      "a sha that is an option",
      "pull_request",
      JSON.stringify({ number: 7, pull_request: { head: { ...side, sha: "--x" }, base: side } }),
    ],
    ["a name of an inherited property", "constructor", "{}"],
    ["another event", "release", "{}"],
  ])("is unknown, and says why: %s", async (_what, name, text) => {
    expect(await read(name, text)).toMatchObject({ name: "unknown", why: expect.stringMatching(/^the event/) });
  });

  it("is none away from GitHub", async () => {
    expect(await eventFromEnvironment({})).toMatchObject({ name: "unknown" });
  });
});
