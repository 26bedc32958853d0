import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Fleet } from "./fleet.ts";

const MAIN = new URL("../../dist/main.js", import.meta.url).pathname;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A fleet repository in a folder of its own, and the built `rollcall` run in it as a person would. */
export class FleetRepository {
  readonly folder = mkdtempSync(join(tmpdir(), "rollcall-repository-"));
  readonly #fleet: Fleet;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(fleet: Fleet, environment: Readonly<Record<string, string>> = {}) {
    this.#fleet = fleet;
    this.#environment = environment;
    this.git("init", "-q", "-b", "main");
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  commit(): void {
    this.git("add", "-A");
    this.git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "change");
  }

  git(...words: string[]): string {
    return execFileSync("git", ["-C", this.folder, ...words], { encoding: "utf8" });
  }

  rollcall(...words: string[]): Promise<Ran> {
    const env = { PATH: process.env.PATH ?? "", HOME: this.folder, CI: "1", ...this.#environment };
    const options = { env: { ...env, ROLLCALL_SSH_KEY_FILE: this.#fleet.keyFile }, maxBuffer: 64 << 20 };
    return new Promise((resolve) => {
      execFile(process.execPath, [MAIN, "-C", this.folder, ...words], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
