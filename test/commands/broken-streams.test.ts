import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;
/** A device on which every write fails as on a full disk. */
const FULL = "/dev/full";

let built: string;

beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), "rollcall-built-"));
  execFileSync(process.execPath, ["build.mjs", built], { cwd: ROOT });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** Runs the command with one stream on the full device and gives what the other one heard. */
async function run(
  full: "stdout" | "stderr",
  words: readonly string[],
): Promise<{ code: number | null; heard: string }> {
  const device = openSync(FULL, "w");
  const stdio = full === "stdout" ? (["ignore", device, "pipe"] as const) : (["ignore", "pipe", device] as const);
  const env = { PATH: process.env.PATH };
  const child = spawn(process.execPath, [join(built, "main.js"), ...words], { cwd: ROOT, env, stdio: [...stdio] });
  closeSync(device);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const heard = await text((full === "stdout" ? child.stderr : child.stdout) as NodeJS.ReadableStream);
  return { code: await ended, heard };
}

describe.skipIf(!existsSync(FULL))("a stream that cannot be written", () => {
  it.each([[[]], [["--json"]]])("stdout is an internal error of two lines, no trace and no drift: %j", async (more) => {
    const { code, heard } = await run("stdout", ["validate", ...more]);
    expect(code).toBe(70);
    expect(heard).toMatch(/^error internal-error: ENOSPC.*\n {2}.*\n$/);
  });

  it("stderr changes nothing: there is nobody to tell, and the run goes on", async () => {
    // Without a key each node ends at once, and its line of progress cannot be written.
    const { code, heard } = await run("stderr", ["check", "--json"]);
    const { outcomes } = JSON.parse(heard) as { outcomes: { outcome: string }[] };
    expect(code).toBe(4);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(["auth-failed"]));
  });
});
