import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { actorName } from "../../src/adapters/actor.ts";
import { shellRecheck } from "../../src/adapters/recheck.ts";
import { gitFleet, temporaryFolder } from "../desired/git-fleet.ts";

const { run } = shellRecheck();

describe("the line of a down verdict", () => {
  it("passes by its exit status, with the last line that it printed", async () => {
    expect(await run("echo one; echo two >&2")).toEqual({ passed: true, message: "exit 0: two" });
    expect(await run("exit 3")).toEqual({ passed: false, message: "exit 3" });
    expect(await run("kill -TERM $$")).toEqual({ passed: false, message: "ended by SIGTERM" });
    expect(await run("if")).toMatchObject({ passed: false, message: expect.stringMatching(/^exit 2: /) });
  });

  it("sees nothing of our environment but a PATH, and no input", async () => {
    process.env.ROLLCALL_TEST_SECRET = "marked";
    try {
      expect((await run("env | cut -d= -f1 | grep -vxE 'PATH|PWD|OLDPWD|SHLVL|_' | tr '\\n' ' '")).message).toMatch(
        /^exit \d$/,
      );
      expect(await run('test "$(cat | wc -c)" = 0')).toMatchObject({ passed: true });
      expect((await run("pwd")).message).toBe("exit 0: /");
    } finally {
      delete process.env.ROLLCALL_TEST_SECRET;
    }
  });

  it("is ended after its time, with all that it started", async () => {
    const folder = temporaryFolder();
    const pids = join(folder, "pids");
    const short = shellRecheck({ timeLimit: 300 });
    const result = await short.run(`sleep 60 & echo $! >${pids}; sleep 60`);
    expect(result).toMatchObject({ passed: false, message: "no end after 0.3 s" });
    expect(await isGone(`${pids}`)).toBe(true);
  });

  it("does not wait for what it left in the background, and leaves nothing of it", async () => {
    const folder = temporaryFolder();
    const pids = join(folder, "pids");
    expect(await run(`sleep 60 & echo $! >${pids}`)).toMatchObject({ passed: true });
    expect(await isGone(pids)).toBe(true);
  });

  it("may print without end", async () => {
    const { message } = await run("yes marked | head -c 5000000; echo; exit 1");
    expect(message.length).toBeLessThan(400);
  });
});

/** Asked until it is so: a killed process is there until its parent has looked. */
async function isGone(pidFile: string): Promise<boolean> {
  const { readFileSync } = await import("node:fs");
  const pid = readFileSync(pidFile, "utf8").trim();
  for (let turn = 0; turn < 1000; turn++) {
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
    if (stat === "" || /\) Z /.test(stat)) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

describe("who runs it", () => {
  it("is who started the workflow, else who commits here, else the login; one line", async () => {
    const fleet = gitFleet();
    expect(await actorName(fleet.root, { ...process.env, GITHUB_ACTOR: "octocat" })).toBe("octocat");
    fleet.git("config", "user.name", "Ada  of\tHere");
    const { GITHUB_ACTOR: _actor, ...environment } = process.env;
    expect(await actorName(fleet.root, environment)).toBe("Ada  of Here");
    const plain = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    expect(await actorName("/", plain)).not.toBe("");
  });
});
