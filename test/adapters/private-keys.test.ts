import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPrivateKeys } from "../../src/adapters/ssh/private-keys.ts";

let folder: string;
const keys: Record<string, string> = {};

function generate(name: string, ...options: string[]): void {
  execFileSync("ssh-keygen", ["-q", "-C", name, "-f", join(folder, name), ...options]);
  keys[name] = readFileSync(join(folder, name), "utf8");
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-keys-"));
  generate("ed25519", "-t", "ed25519", "-N", "");
  generate("ecdsa", "-t", "ecdsa", "-N", "");
  generate("rsa", "-t", "rsa", "-b", "2048", "-N", "");
  generate("pem", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "");
  generate("pkcs8", "-t", "ecdsa", "-m", "PKCS8", "-N", "");
  generate("encrypted", "-t", "ed25519", "-N", "secret");
  generate("encrypted-pem", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "secret");
  generate("encrypted-pkcs8", "-t", "ecdsa", "-m", "PKCS8", "-N", "secret");
  keys.public = readFileSync(join(folder, "ed25519.pub"), "utf8");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sources = async (environment: NodeJS.ProcessEnv): Promise<readonly string[]> => {
  const read = await readPrivateKeys(environment);
  if (read.kind === "trouble") throw new Error(read.message);
  return read.offers.map(({ source }) => source);
};

describe("readPrivateKeys", () => {
  it.each(["ed25519", "ecdsa", "rsa", "pem"])("takes a key of the form %s", async (name) => {
    expect(await sources({ ROLLCALL_SSH_KEY: keys[name] })).toEqual(["ROLLCALL_SSH_KEY"]);
  });

  it.each([
    ["carriage returns", (text: string) => text.replaceAll("\n", "\r\n")],
    ["no last newline", (text: string) => text.trimEnd()],
    ["blanks around", (text: string) => `\n ${text}\n\n`],
  ])("takes a key as secrets are pasted: %s", async (_what, spoil) => {
    expect(await sources({ ROLLCALL_SSH_KEY: spoil(keys.ed25519 ?? "") })).toHaveLength(1);
  });

  it("offers what was named first, then the agent", async () => {
    const environment = {
      SSH_AUTH_SOCK: "/nowhere/agent",
      ROLLCALL_SSH_KEY_FILE: join(folder, "rsa"),
      ROLLCALL_SSH_KEY: keys.ed25519,
    };
    const file = `ROLLCALL_SSH_KEY_FILE ${join(folder, "rsa")}`;
    expect(await sources(environment)).toEqual(["ROLLCALL_SSH_KEY", file, "SSH_AUTH_SOCK"]);
  });

  it.each([
    ["encrypted", "is encrypted"],
    ["encrypted-pem", "is encrypted"],
    ["encrypted-pkcs8", "is encrypted"],
    ["pkcs8", "ssh-keygen -p -f"],
    ["public", "is a public key"],
  ])("says what is wrong with one of the form %s", async (name, message) => {
    expect(await readPrivateKeys({ ROLLCALL_SSH_KEY: keys[name] })).toEqual({
      kind: "trouble",
      message: expect.stringContaining(message),
    });
  });

  it("says what is wrong with a broken one, and never shows it", async () => {
    const broken = (keys.ed25519 ?? "").slice(0, 120);
    const read = await readPrivateKeys({ ROLLCALL_SSH_KEY: broken });
    expect(read).toMatchObject({ kind: "trouble", message: expect.stringContaining("not a private key") });
    expect(JSON.stringify(read)).not.toContain("BEGIN");
  });

  it("says that a file cannot be read, even when an agent is there", async () => {
    writeFileSync(join(folder, "empty"), "");
    const agent = { SSH_AUTH_SOCK: "/nowhere/agent" };
    const missing = await readPrivateKeys({ ...agent, ROLLCALL_SSH_KEY_FILE: "/nowhere/key" });
    expect(missing).toEqual({ kind: "trouble", message: expect.stringContaining("ENOENT") });
    expect(await readPrivateKeys({ ...agent, ROLLCALL_SSH_KEY_FILE: join(folder, "empty") })).toMatchObject({
      kind: "trouble",
    });
  });

  it("says how to give one when there is none", async () => {
    const none = { kind: "trouble", message: expect.stringContaining("ROLLCALL_SSH_KEY_FILE") };
    expect(await readPrivateKeys({})).toEqual(none);
    expect(await readPrivateKeys({ ROLLCALL_SSH_KEY: " \n", ROLLCALL_SSH_KEY_FILE: "", SSH_AUTH_SOCK: "" })).toEqual(
      none,
    );
  });
});
