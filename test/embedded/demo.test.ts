import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Stage } from "./demo/stage.ts";
import { type Scene, story } from "./demo/story.ts";
import { tell } from "./demo/tell.ts";
import { type EmbeddedFleet, startEmbeddedFleet } from "./fleet.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Below node_modules, so that what the bundle leaves outside is found. */
const bundle = join(root, "node_modules", ".cache", "rollcall-demo-test");

describe("npm start", () => {
  let temporary: string;

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, ["build.mjs", bundle], { cwd: root });
  }, 60_000);
  afterAll(() => rmSync(bundle, { recursive: true, force: true }));
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), "rollcall-demo-test-"));
    return () => rmSync(temporary, { recursive: true });
  });

  /** Plays the demo into pipes; `onOutput` sees all of stdout so far. */
  async function play(environment: NodeJS.ProcessEnv, onOutput = (_output: string, _stop: () => void) => {}) {
    const env = { ...process.env, TMPDIR: temporary, NO_COLOR: "1", FORCE_COLOR: undefined, ...environment };
    const child = spawn(process.execPath, [join(bundle, "demo.js")], { cwd: root, env });
    const output = { stdout: "", stderr: "" };
    child.stderr.on("data", (piece) => (output.stderr += piece));
    child.stdout.on("data", (piece) => {
      output.stdout += piece;
      onOutput(output.stdout, () => child.kill("SIGINT"));
    });
    const exitCode = await new Promise((resolve) => child.on("close", resolve));
    return { exitCode, ...output };
  }

  it("tells the whole story, and leaves nothing behind", async () => {
    const { exitCode, stdout, stderr } = await play({});
    expect(stderr).not.toContain("did not come out");
    expect(exitCode).toBe(0);
    expect(stdout.match(/^(\$ rollcall|root@).*$/gm)).toEqual(
      story().flatMap(({ does }) => {
        if (does.kind === "merge") return [];
        return does.kind === "rollcall"
          ? [`$ rollcall ${does.args.join(" ")}`]
          : does.lines.map((line) => `root@${does.node}:~# ${line}`);
      }),
    );
    expect(stdout.match(/^\d of \d units? (is|are) .*$/gm)).toEqual([
      "3 of 3 units are in.  exit 0",
      "1 of 1 unit is behind.  exit 1",
    ]);
    expect(stdout.match(/^audit of .*$/gm)).toEqual([
      "audit of 5 nodes, generation 3: 4 as declared, 1 changed on the node",
      "audit of 5 nodes, generation 3: 5 as declared",
    ]);
    expect(stderr).toMatch(/web-01 step 1 of \d+/);
    expect(readdirSync(temporary)).toEqual([]);
    // No cursor is moved and no colour set where nobody watches, and the demo's own lines have room on a screen.
    expect(stdout + stderr).not.toContain("\u001b");
    expect(story().flatMap(({ says }) => says.filter((line) => [...line].length > 100))).toEqual([]);
  }, 180_000);

  it("says what is missing where there is no git", async () => {
    const { exitCode, stdout, stderr } = await play({ PATH: temporary });
    expect(stderr).toContain("git is not installed here");
    expect(stdout).not.toContain("$ rollcall");
    expect(exitCode).toBe(1);
    expect(readdirSync(temporary)).toEqual([]);
  }, 180_000);

  it("ends at once when it is interrupted, and leaves nothing behind", async () => {
    const { exitCode, stdout } = await play({}, (output, stop) => {
      if (output.includes("$ rollcall reconcile")) stop();
    });
    expect(exitCode).toBe(130);
    expect(stdout).not.toContain("The board");
    expect(readdirSync(temporary)).toEqual([]);
  }, 180_000);
});

describe("a story that does not come out as told", () => {
  let fleet: EmbeddedFleet;

  beforeAll(async () => {
    fleet = await startEmbeddedFleet([{ name: "web-01" }]);
  });
  afterAll(() => fleet.close());

  const page: string[] = [];
  const told = (scene: Scene, exit: number): Promise<string | null> => {
    const rollcall = [process.execPath, "-e", `process.exit(${exit})`, "--"];
    const stage: Stage = {
      ...{ fleet, rollcall, repository: "/", keyFile: "/key", environment: process.env },
      strike: () => fleet.close(),
    };
    const audience = { stream: { write: (text: string) => page.push(text) }, stdio: "ignore" as const };
    return tell([scene], stage, { ...audience, signal: new AbortController().signal });
  };
  const check: Scene = { title: "Look", says: [], does: { kind: "rollcall", args: ["check"], exit: 1 } };

  it.each([
    ["a command that ends as told", check, 1, null],
    ["a command that ends otherwise", check, 0, 'scene 1, "Look": rollcall check ended with 0, and the story says 1'],
    [
      "nodes that are not as told",
      { ...check, proof: async () => "web-01 sleeps" },
      1,
      'scene 1, "Look": web-01 sleeps',
    ],
    [
      "work by hand that fails",
      { ...check, does: { kind: "console", node: "web-01", lines: ["echo no >&2; false"] } },
      0,
      'scene 1, "Look": on web-01, echo no >&2; false failed: no',
    ],
  ] satisfies [string, Scene, number, string | null][])("%s", async (_what, scene, exit, trouble) => {
    expect(await told(scene, exit)).toBe(trouble);
  });
});
