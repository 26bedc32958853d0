import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A real repository in a folder of its own, removed when the test has finished. */
export interface GitFleet {
  readonly root: string;
  write(files: Readonly<Record<string, string | Uint8Array | null>>): void;
  git(...words: string[]): string;
  /** Commits everything there is. */
  commit(files?: Readonly<Record<string, string | Uint8Array | null>>): string;
}

export function temporaryFolder(): string {
  const root = mkdtempSync(join(tmpdir(), "rollcall-desired-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

export function gitFleet(folder = "."): GitFleet {
  const top = temporaryFolder();
  const root = join(top, folder);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, env, encoding: "utf8" });
  const write: GitFleet["write"] = (files) => {
    for (const [path, data] of Object.entries(files)) {
      const target = join(root, path);
      mkdirSync(dirname(target), { recursive: true });
      if (data === null) rmSync(target);
      else writeFileSync(target, data);
    }
  };
  mkdirSync(root, { recursive: true });
  execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: top, env });
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.org");
  return {
    root,
    write,
    git,
    commit(files = {}) {
      write(files);
      git("add", "--all", ".");
      git("commit", "--quiet", "--allow-empty", "--message", "test");
      return git("rev-parse", "HEAD").trim();
    },
  };
}
