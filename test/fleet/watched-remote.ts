import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FleetRepository } from "./command-line.ts";

/** When a push is met: nothing of it has landed, or all of it has and nobody was told. */
export type Moment = "before" | "after";

/**
 * Called with what a push brings, a line a ref, sorted: its name and the message of its commit. The first push that fits the
 * pattern in the file `kill-before` or `kill-after` ends the controller; one that fits `hold-after` waits to be let go.
 */
const HOOK = (moment: Moment) => `#!/bin/sh
export LC_ALL=C
pushed=$(while read -r _ new ref; do
  printf '%s %s\\n' "$ref" "$(git log -1 --format=%B "$new" 2>/dev/null | tr -d '\\n')"
done | sort)
met() { [ -e "$1" ] && printf '%s\\n' "$pushed" | head -n 1 | grep -qEf "$1" && mv "$1" "$1.met"; }
if met kill-${moment}; then
  kill -9 "$(cat controller)"
  exit 1
fi
if met hold-${moment}; then
  echo x >held
  read -r _ <go
fi
exit 0
`;

/** The remote of a fleet repository, which can end the controller at a push of the test's choice. */
export class WatchedRemote {
  readonly folder = mkdtempSync(join(tmpdir(), "rollcall-remote-"));
  readonly #repository: FleetRepository;

  constructor(repository: FleetRepository) {
    this.#repository = repository;
    this.#git("init", "-q", "--bare", "-b", "main");
    for (const [name, moment] of [
      ["pre-receive", "before"],
      ["post-receive", "after"],
    ] as const)
      writeFileSync(join(this.folder, "hooks", name), HOOK(moment), { mode: 0o755 });
    execFileSync("mkfifo", [join(this.folder, "held"), join(this.folder, "go")]);
    repository.git("remote", "add", "origin", this.folder);
  }

  /** Where a controller's id is looked for. */
  get pidFile(): string {
    return join(this.folder, "controller");
  }

  /** Merged: main moves on, here and there. */
  merge(): void {
    this.#repository.commit();
    this.#repository.git("push", "-q", "origin", "main");
  }

  /** The next push whose first line fits ends the controller. */
  killAt(moment: Moment, push: string): void {
    writeFileSync(join(this.folder, `kill-${moment}`), `${push}\n`);
  }

  /** The next push whose first line fits lands, and is answered only when it is let go. */
  holdAt(push: string): { readonly met: () => Promise<void>; readonly letGo: () => Promise<void> } {
    writeFileSync(join(this.folder, "hold-after"), `${push}\n`);
    const pipe = (name: string) => join(this.folder, name);
    return {
      met: async () => void (await readFile(pipe("held"))),
      letGo: () => writeFile(pipe("go"), "x\n"),
    };
  }

  /** By ref. */
  refs(): Readonly<Record<string, string>> {
    const lines = this.#git("for-each-ref", "--format=%(refname) %(objectname)").trim().split("\n");
    return Object.fromEntries(lines.map((line) => line.split(" ") as [string, string]));
  }

  /** Of the commit that a ref points to. */
  message(ref: string): string {
    return this.#git("log", "-1", "--format=%B", ref);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #git(...words: string[]): string {
    return execFileSync("git", ["-C", this.folder, ...words], { encoding: "utf8" });
  }
}
