import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Nothing of the person who runs the tests: no configuration, and no name, as on a runner. */
export const BARE_ENVIRONMENT = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

export function gitIn(folder: string, ...words: string[]): string {
  return execFileSync("git", words, { cwd: folder, env: BARE_ENVIRONMENT, encoding: "utf8", stdio: "pipe" }).trim();
}

export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-remote-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A bare repository that others push to. */
export interface BareRemote {
  readonly path: string;
  git(...words: string[]): string;
  /** Ref name → commit id. */
  refs(): Readonly<Record<string, string>>;
  /** A file of a commit or ref; undefined when it is not there. */
  file(ref: string, path: string): string | undefined;
  hook(name: string, script: string | null): void;
}

export function bareRemote(name = "fleet.git"): BareRemote {
  const top = emptyFolder();
  const path = join(top, name);
  gitIn(top, "init", "--quiet", "--bare", "--initial-branch=main", path);
  const git = (...words: string[]) => gitIn(path, ...words);
  return {
    path,
    git,
    refs() {
      const lines = git("for-each-ref", "--format=%(refname) %(objectname)").split("\n").filter(Boolean);
      return Object.fromEntries(lines.map((line) => line.split(" ", 2)));
    },
    file(ref, file) {
      try {
        return git("show", `${ref}:${file}`);
      } catch {
        return undefined;
      }
    },
    hook(hook, script) {
      const file = join(path, "hooks", hook);
      if (script === null) return rmSync(file, { force: true });
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
    },
  };
}

/** A checkout with two commits on main, pushed; it has no user.name, as on a runner. */
export function fleetCheckout(remote: { readonly url: string } | null): string {
  const folder = emptyFolder();
  gitIn(folder, "init", "--quiet", "--initial-branch=main");
  for (const generation of [1, 2]) {
    execFileSync("mkdir", ["-p", join(folder, "roster")]);
    writeFileSync(join(folder, "roster/fleet.yaml"), `version: 2\ngeneration: ${generation}\n`);
    gitIn(folder, "add", "--all");
    const person = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    gitIn(folder, ...person, "commit", "--quiet", "--message", `generation ${generation}`);
  }
  if (remote !== null) {
    gitIn(folder, "remote", "add", "origin", remote.url);
    gitIn(folder, "push", "--quiet", "origin", "main");
  }
  return folder;
}

export function clone(url: string, ...options: string[]): string {
  const folder = join(emptyFolder(), "clone");
  gitIn(tmpdir(), "clone", "--quiet", ...options, url, folder);
  return folder;
}
