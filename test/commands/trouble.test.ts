import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { sshTransport } from "../../src/adapters/ssh/transport.ts";
import { Trouble } from "../../src/kit/trouble.ts";

/** What the machine lacks is told with a code of its own and what to do, never as a fault of rollcall. */
const folder = mkdtempSync(join(tmpdir(), "rollcall-trouble-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a broken repository is git's to explain", async () => {
  execFileSync("git", ["init", "-q", folder]);
  writeFileSync(join(folder, ".git", "HEAD"), "nonsense\n");
  const failure = await gitRepository(folder)
    .standing()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Trouble);
  expect(failure).toMatchObject({ code: "git-failed", hint: expect.stringContaining("status") });
});

test("known_hosts that cannot be read", async () => {
  const file = join(folder, "known_hosts");
  mkdirSync(file);
  // Any key that parses: keys are looked at first.
  const key = join(folder, "key");
  spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const opened = sshTransport({ knownHostsFile: file, environment: { ROLLCALL_SSH_KEY_FILE: key } });
  await expect(opened).rejects.toMatchObject({ code: "known-hosts-unreadable" });
});
