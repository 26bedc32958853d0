import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Fleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";

/** Another one than what `npm run build` leaves may be tried. */
const MAIN = process.env.ROLLCALL_FLEET_MAIN ?? new URL("../../dist/main.js", import.meta.url).pathname;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One at work, to be watched and killed. */
export interface Running {
  readonly process: ChildProcess;
  /** `code` is null when a signal ended it. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Resolves once its standard error says so. Rejects when it ends without. */
  says(words: RegExp): Promise<void>;
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

  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** A roster of all nodes of the fleet, each with the roles given by name; `more` is what stands in a node's file beside. */
  writeFleet(
    roles: Readonly<Record<string, string>>,
    more: (node: FleetNode) => Readonly<Record<string, unknown>> = () => ({}),
  ): void {
    const listed = Object.keys(roles).filter((role) => role !== "host");
    this.write({
      "roster/fleet.yaml": "version: 2\ngeneration: 1\ndefaults: { user: ops, step_timeout: 60s }\n",
      "roster/known_hosts": readFileSync(this.#fleet.knownHostsFile, "utf8"),
    });
    for (const [role, text] of Object.entries(roles)) this.write({ [`host-roles/${role}.yaml`]: text });
    for (const node of this.#fleet.nodes) {
      const { name, address, port } = node;
      const lines = { name, class: "test", address, port, roles: listed, ...more(node) };
      const yaml = Object.entries(lines).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
      this.write({ [`roster/nodes/${name}.yaml`]: yaml.join("") });
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
    const options = { env: this.#env(), maxBuffer: 64 << 20 };
    return new Promise((resolve) => {
      execFile(process.execPath, [MAIN, "-C", this.folder, ...words], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  /** As `rollcall`, without waiting for its end. Its id is in `pidFile` before it begins to work. */
  start(pidFile: string, ...words: string[]): Running {
    const line = 'echo "$$" >"$0"; exec "$@"';
    const args = ["-c", line, pidFile, process.execPath, MAIN, "-C", this.folder, ...words];
    const child = spawn("/bin/sh", args, { env: this.#env(), stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...said }));
    const says = (words: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => void (words.test(said.stderr) && resolve());
        child.stderr.on("data", look);
        child.on("close", () => reject(new Error(`it ended and never said ${words}:\n${said.stdout}${said.stderr}`)));
        look();
      });
    return { process: child, ended, says };
  }

  #env(): NodeJS.ProcessEnv {
    const env = { PATH: process.env.PATH ?? "", HOME: this.folder, CI: "1", ...this.#environment };
    return { ...env, ROLLCALL_SSH_KEY_FILE: this.#fleet.keyFile };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
