import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { gitIn } from "./git-in.ts";

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

/** A remote by its folder, and by the address that checkouts know it by. */
export interface RemoteAddress {
  readonly path: string;
  /** Of a server in this very process: a git that is waited for must never speak with it. */
  readonly url?: string;
}

/** A checkout with two commits on main, pushed; it has no user.name, as on a runner. */
export function fleetCheckout(remote: RemoteAddress | null): string {
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
    gitIn(folder, "remote", "add", "origin", remote.path);
    gitIn(folder, "push", "--quiet", "origin", "main");
    gitIn(folder, "remote", "set-url", "origin", remote.url ?? remote.path);
  }
  return folder;
}

export function clone(remote: RemoteAddress, ...options: string[]): string {
  const folder = join(emptyFolder(), "clone");
  gitIn(tmpdir(), "clone", "--quiet", ...options, `file://${remote.path}`, folder);
  gitIn(folder, "remote", "set-url", "origin", remote.url ?? remote.path);
  return folder;
}
