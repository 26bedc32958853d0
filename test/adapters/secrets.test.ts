import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { armor, Encrypter, generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SecretResolution } from "../../src/adapters/secrets/contract.ts";
import { newHashKey, openSecrets } from "../../src/adapters/secrets/index.ts";
import { secretRef } from "../../src/model/secret-ref.ts";

let base: string;
/** A fleet repository, itself a folder of a larger work tree. */
let root: string;

const git = (...args: string[]): unknown =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: root, stdio: "pipe" });

function put(path: string, content: string | Uint8Array): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-secrets-")));
  root = join(base, "work", "fleet");
  mkdirSync(root, { recursive: true });
  execFileSync("git", ["init", "-q", join(base, "work")]);
  put("../.gitignore", "/fleet/ignored/\n");
  put("committed.txt", "s3cr3t\n");
  git("add", "-A", "..");
  git("commit", "-qm", "start");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function resolve(ref: string, environment: NodeJS.ProcessEnv = {}): Promise<SecretResolution> {
  const settings = { PATH: process.env.PATH, ...environment };
  return openSecrets({ root, environment: settings }).resolve(secretRef.parse(ref));
}

const value = (text: string): SecretResolution => ({ kind: "value", value: text });

describe("env:", () => {
  it("is a variable of the runner, as it is", async () => {
    expect(await resolve("env:TOKEN", { TOKEN: " a\n" })).toEqual(value(" a\n"));
  });
  it.each([
    ["TOKEN", {}, "the variable TOKEN is not set here"],
    ["TOKEN", { TOKEN: "" }, "the variable TOKEN is empty here"],
    ["constructor", {}, "the variable constructor is not set here"],
  ])("is absent: %s of %j", async (name, environment, why) => {
    expect(await resolve(`env:${name}`, environment)).toEqual({ kind: "absent", why });
  });
});

describe("file:", () => {
  it.each([
    ["one last newline is not part of it", "a b\n", "a b"],
    ["nor is a CRLF", "a\r\n", "a"],
    ["a second newline is", "a\n\n", "a\n"],
    ["blanks are", " a \t", " a \t"],
    ["lines stay", "-----BEGIN-----\nAb+/=\n-----END-----\n", "-----BEGIN-----\nAb+/=\n-----END-----"],
  ])("%s", async (_what, content, expected) => {
    put("ignored/x", content);
    expect(await resolve("file:ignored/x")).toEqual(value(expected));
    expect(await resolve(`file:${join(root, "ignored/x")}`)).toEqual(value(expected));
  });

  it("is taken from outside any work tree", async () => {
    writeFileSync(join(base, "outside"), "x\n");
    expect(await resolve(`file:${join(base, "outside")}`)).toEqual(value("x"));
  });

  it("is absent when it is not there, or empty", async () => {
    expect(await resolve("file:ignored/none")).toEqual({ kind: "absent", why: "the file ignored/none is not here" });
    put("ignored/empty", "\n");
    expect(await resolve("file:ignored/empty")).toEqual({ kind: "absent", why: "the file ignored/empty is empty" });
    expect(await resolve("file:ignored/empty/below")).toMatchObject({ kind: "absent" });
  });

  it("is refused when git has it: committed, staged, by way of a link, or in another work tree", async () => {
    const committed = { kind: "problem", code: "secret-committed" };
    expect(await resolve("file:committed.txt")).toMatchObject(committed);
    put("ignored/forced", "s3cr3t");
    git("add", "-f", "ignored/forced");
    expect(await resolve("file:ignored/forced")).toMatchObject(committed);
    git("rm", "-q", "--cached", "ignored/forced");
    expect(await resolve("file:ignored/forced")).toEqual(value("s3cr3t"));
    symlinkSync("../committed.txt", join(root, "ignored/link"));
    expect(await resolve("file:ignored/link")).toMatchObject(committed);
    symlinkSync(join(root, "committed.txt"), join(base, "link"));
    expect(await resolve(`file:${join(base, "link")}`)).toMatchObject(committed);
  });

  it("is refused when the next git add would take it, whatever its name", async () => {
    for (const name of ["new.txt", "*", ":(top)x", "-n", "new/deep/x"]) {
      put(name, "s3cr3t");
      expect(await resolve(`file:${name}`), name).toMatchObject({ kind: "problem", code: "secret-not-ignored" });
    }
  });

  it("does not ask a repository that the environment names", async () => {
    const elsewhere = join(base, "elsewhere");
    execFileSync("git", ["init", "-q", elsewhere]);
    const environment = { GIT_DIR: join(elsewhere, ".git"), GIT_WORK_TREE: elsewhere };
    expect(await resolve("file:committed.txt", environment)).toMatchObject({ code: "secret-committed" });
  });

  it("is refused when git cannot say", async () => {
    expect(await resolve("file:committed.txt", { PATH: "" })).toMatchObject({ kind: "problem", code: "git-failed" });
  });

  it("does not reach where keys of the runner are, by any link", async () => {
    symlinkSync("/proc/self/environ", join(base, "environ"));
    symlinkSync(join(base, "work/.git"), join(base, "dot-git"));
    const forbidden = { kind: "problem", code: "forbidden-path" };
    expect(await resolve(`file:${join(base, "environ")}`)).toMatchObject(forbidden);
    expect(await resolve(`file:${join(base, "dot-git/config")}`)).toMatchObject(forbidden);
    symlinkSync("/etc/passwd", join(root, "ignored/out"));
    expect(await resolve("file:ignored/out")).toMatchObject({ kind: "problem", code: "outside-repository" });
    symlinkSync(root, join(base, "fleet-link"));
    const secrets = openSecrets({ root: join(base, "fleet-link"), environment: process.env });
    put("ignored/fine", "x");
    expect(await secrets.resolve(secretRef.parse("file:ignored/fine"))).toEqual(value("x"));
  });

  it.each([
    ["a folder", "not-a-file", (path: string) => mkdirSync(path)],
    ["a pipe", "not-a-file", (path: string) => execFileSync("mkfifo", [path])],
    ["a link to itself", "unreadable", (path: string) => symlinkSync(path, path)],
    ["Latin-1", "not-text", (path: string) => writeFileSync(path, Uint8Array.of(0x63, 0xe9))],
    ["a NUL", "not-text", (path: string) => writeFileSync(path, "a\0b")],
    ["a byte-order mark", "not-text", (path: string) => writeFileSync(path, "\ufeffs3cr3t")],
    ["128 KiB and a byte", "too-large", (path: string) => writeFileSync(path, "s".repeat(128 * 1024 + 1))],
  ])("refuses %s as %s", async (what, code, make) => {
    const path = join(base, what.replaceAll(" ", "-"));
    make(path);
    const answer = await resolve(`file:${path}`);
    expect(answer).toMatchObject({ kind: "problem", code });
    expect(JSON.stringify(answer)).not.toContain("s3cr3t");
  });
});

describe("age:", () => {
  const identities: string[] = [];
  const encrypt = async (text: string, ...recipients: string[]): Promise<Uint8Array> => {
    const encrypter = new Encrypter();
    for (const identity of recipients) encrypter.addRecipient(await identityToRecipient(identity));
    return encrypter.encrypt(text);
  };
  beforeAll(async () => {
    identities.push(await generateX25519Identity(), await generateX25519Identity(), await generateHybridIdentity());
    put("secrets/db.age", await encrypt("s3cr3t\n", identities[0] ?? "", identities[2] ?? ""));
    put("secrets/armored.age", armor.encode(await encrypt("armored", identities[0] ?? "")));
  });

  it("is a committed file, opened with any of the identities", async () => {
    const [first = "", second = "", hybrid = ""] = identities;
    expect(await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY: first })).toEqual(value("s3cr3t"));
    expect(await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY: hybrid })).toEqual(value("s3cr3t"));
    expect(await resolve("age:secrets/armored.age", { ROLLCALL_AGE_KEY: first })).toEqual(value("armored"));
    const file = join(base, "identities.txt");
    writeFileSync(file, `# created: today\r\n${second}\r\n\r\n${first.toLowerCase()}\r\n`);
    expect(await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY_FILE: file })).toEqual(value("s3cr3t"));
    expect(await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY: second, ROLLCALL_AGE_KEY_FILE: file })).toEqual(
      value("s3cr3t"),
    );
  });

  it("is absent without an identity", async () => {
    const why = "the file secrets/db.age is encrypted, and ROLLCALL_AGE_KEY is not set here";
    expect(await resolve("age:secrets/db.age")).toEqual({ kind: "absent", why });
    expect(await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY: "" })).toEqual({ kind: "absent", why });
  });

  it("is a problem when the repository lacks it, with or without an identity", async () => {
    expect(await resolve("age:secrets/none.age")).toMatchObject({ kind: "problem", code: "no-such-file" });
    writeFileSync(join(base, "out.age"), "x");
    symlinkSync(join(base, "out.age"), join(root, "secrets/out.age"));
    expect(await resolve("age:secrets/out.age")).toMatchObject({ kind: "problem", code: "outside-repository" });
  });

  it("is a problem when the identity is none, and does not repeat it", async () => {
    const [first = ""] = identities;
    const damaged = `${first.slice(0, -1)}${first.endsWith("Q") ? "P" : "Q"}`;
    for (const key of ["hunter2-hunter2", `${first} ${first}`, damaged, "AGE-PLUGIN-YUBIKEY-1ABC"]) {
      const answer = await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY: key });
      expect(answer).toMatchObject({ kind: "problem", code: "no-key" });
      expect(JSON.stringify(answer)).not.toContain(key.slice(-15));
    }
    const missing = await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY_FILE: join(base, "none") });
    expect(missing).toMatchObject({ kind: "problem", code: "no-key", message: expect.stringContaining("ENOENT") });
    writeFileSync(join(base, "only-comments"), "# nothing\n");
    const empty = await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY_FILE: join(base, "only-comments") });
    expect(empty).toMatchObject({ kind: "problem", code: "no-key" });
  });

  it("is a problem when it cannot be decrypted", async () => {
    const [first = "", second = ""] = identities;
    expect(await resolve("age:secrets/db.age", { ROLLCALL_AGE_KEY: second })).toMatchObject({ code: "undecryptable" });
    const whole = await encrypt("s3cr3t", first);
    const flipped = (at: number): Uint8Array =>
      whole.map((byte, index) => (index === whole.length + at ? byte ^ 1 : byte));
    const broken = armor.encode(whole).replace(/^.{30}/m, "s3cr3t");
    const contents: [string, string | Uint8Array][] = [
      ["undecryptable", flipped(-1)],
      ["undecryptable", flipped(100 - whole.length)],
      ["undecryptable", whole.subarray(0, -20)],
      ["undecryptable", "age-encryption.org/v1\ns3cr3t"],
      ["not-encrypted", "s3cr3t in the clear\n"],
      ["not-encrypted", broken.replace("s3cr3t", "-----BEGIN AGE ENCRYPTED FILE-----\ns3cr3t")],
      ["not-encrypted", ""],
    ];
    for (const [code, content] of contents) {
      put("secrets/bad.age", content);
      const answer = await resolve("age:secrets/bad.age", { ROLLCALL_AGE_KEY: first });
      expect(answer, String(content)).toMatchObject({ kind: "problem", code });
      expect(JSON.stringify(answer)).not.toContain("s3cr3t");
    }
  });
});

describe("openSecrets", () => {
  it("looks a reference up once a run, and remembers what must be masked", async () => {
    const environment: NodeJS.ProcessEnv = { TOKEN: "first", PATH: process.env.PATH };
    const secrets = openSecrets({ root, environment });
    expect(secrets.values()).toEqual([]);
    expect(await secrets.resolve(secretRef.parse("env:TOKEN"))).toEqual(value("first"));
    environment.TOKEN = "second";
    expect(await secrets.resolve(secretRef.parse("env:TOKEN"))).toEqual(value("first"));
    await secrets.resolve(secretRef.parse("env:NONE"));
    expect(secrets.values()).toEqual(["first"]);
  });

  it("has another key for each run", () => {
    expect(newHashKey().length).toBe(32);
    expect(newHashKey()).not.toEqual(newHashKey());
  });
});
