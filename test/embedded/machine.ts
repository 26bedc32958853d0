import { setTimeout as sleep } from "node:timers/promises";
import { Bash, type Command, type CommandName, defineCommand } from "just-bash";
import { debianNode, type NodeSeed } from "../../src/adapters/memory/debian-node.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { repositoryPackage } from "../../src/adapters/memory/package-repository.ts";
import { unpack } from "../../src/adapters/memory/packages.ts";
import { letTimePass } from "../../src/adapters/memory/unit-effects.ts";
import type { NodeSystem } from "./commands/command.ts";
import { NODE_COMMANDS } from "./commands/index.ts";
import { adaptScript } from "./dialect.ts";
import { NodeFileSystem } from "./file-system.ts";
import { type NodeProcess, recallUmask } from "./process.ts";

/** What of just-bash a minimal Debian also has; its own extras (jq, rg, yq, …) would hide that a script needs them. */
const DEBIAN_PROGRAMS: readonly CommandName[] = [
  ...(["awk", "base64", "basename", "bash", "cat", "comm", "cp", "cut", "date", "diff", "dirname", "du"] as const),
  ...(["echo", "egrep", "env", "expand", "expr", "false", "fgrep", "find", "fold", "grep", "gunzip", "gzip"] as const),
  ...(["head", "hostname", "join", "ln", "ls", "md5sum", "mv", "mkdir", "nl", "od", "paste", "printenv"] as const),
  ...(["printf", "pwd", "readlink", "rm", "rmdir", "sed", "seq", "sh", "sha1sum", "sha256sum", "sleep"] as const),
  ...(["sort", "split", "stat", "tac", "tail", "tar", "tee", "timeout", "touch", "tr", "true", "uniq"] as const),
  ...(["unexpand", "wc", "which", "whoami", "xargs", "zcat", "chmod"] as const),
];
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** A runaway loop ends; a long script does not. */
const LIMITS = { maxCommandCount: 200_000, maxLoopIterations: 50_000, maxExecutionTimeMs: 60_000 };

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly user?: string;
  readonly stdin?: string;
  /** Takes text that must not wait for the end of the run. */
  readonly onProgress?: (text: string) => void;
}

/** A simulated Debian: an in-memory node with a shell and the programs that scripts use. */
export class Machine {
  readonly name: string;
  readonly node: MemoryNode;
  /** Held by `flock`: number of the descriptor → pid of the holder. */
  readonly locks = new Map<string, number>();
  readonly running = new Map<number, NodeProcess>();
  readonly #aptMs: number;
  #lastPid = 100;
  #clock = performance.now();

  /** `aptMs`: how long one call of apt takes. */
  constructor(seed: NodeSeed, aptMs: number) {
    this.name = seed.name;
    this.node = debianNode(seed);
    this.#aptMs = aptMs;
    // A node that was just switched on could not tell "never" from "at the start".
    letTimePass(this.node, UPTIME_MS);
    unpack(this.node, repositoryPackage({ name: "dpkg", version: "1.21.22", architecture: this.node.architecture }));
  }

  async boot(login: string): Promise<void> {
    const files = this.#filesFor({ user: "root", umask: 0o022 });
    for (const folder of FOLDERS) await files.mkdir(folder, { recursive: true });
    for (const [link, target] of LINKS) await files.symlink(target, link);
    for (const folder of ["/tmp", "/var/tmp"]) await files.chmod(folder, 0o1777);
    this.node.users.set(login, `/home/${login}`);
    this.node.groups.add(login);
    await files.mkdir(`/home/${login}`);
    await files.change(`/home/${login}`, { owner: login, group: login });
    await files.writeFile("/etc/os-release", OS_RELEASE);
    await files.writeFile("/proc/sys/kernel/ostype", `${this.node.kernel}\n`);
    await files.writeFile("/proc/self/mounts", "/dev/sda1 / ext4 rw,relatime 0 0\n");
    for (const device of DEVICES) this.#device(device);
    for (const name of [...DEBIAN_PROGRAMS, ...Object.keys(NODE_COMMANDS)]) await putProgram(files, name);
  }

  /** Runs a script as the whole input of a shell; never throws for what the script does. */
  async run(script: string, options: RunOptions = {}): Promise<Ran> {
    const pid = ++this.#lastPid;
    const user = options.user ?? "root";
    const process: NodeProcess = {
      pid,
      user,
      umask: 0o022,
      exitTrap: null,
      onProgress: options.onProgress ?? (() => {}),
    };
    this.running.set(pid, process);
    try {
      return await this.#shell(script, process, options.stdin ?? "");
    } finally {
      this.running.delete(pid);
      for (const [lock, holder] of this.locks) if (holder === pid) this.locks.delete(lock);
    }
  }

  async #shell(script: string, process: NodeProcess, stdin: string): Promise<Ran> {
    const home = this.node.users.get(process.user) ?? "/";
    const files = this.#filesFor(process);
    const bash = new Bash({
      fs: files,
      cwd: home,
      env: { PATH, HOME: home, USER: process.user, LOGNAME: process.user, SHELL: "/bin/sh", HOSTNAME: this.name },
      commands: [...DEBIAN_PROGRAMS],
      customCommands: this.#commandsFor({ machine: this, node: this.node, files, process }),
      executionLimits: LIMITS,
      defenseInDepth: false,
      processInfo: { pid: process.pid, ppid: 1, uid: process.user === "root" ? 0 : 1000, gid: 0 },
    });
    const ran = await bash.exec(adaptScript(script), { rawScript: true, stdin, stdinKind: "bytes" });
    const { exitTrap } = process;
    if (exitTrap === null) return ran;
    const last = await bash.exec(exitTrap, { rawScript: true });
    return { exitCode: ran.exitCode, stdout: ran.stdout + last.stdout, stderr: ran.stderr + last.stderr };
  }

  #filesFor(process: Pick<NodeProcess, "user" | "umask">): NodeFileSystem {
    return new NodeFileSystem(this.node.files, process, () => this.node.nowMs);
  }

  #commandsFor(system: NodeSystem): Command[] {
    return Object.entries(NODE_COMMANDS).map(([name, run]) =>
      defineCommand(name, (args, shell) => {
        recallUmask(system.process, shell.env);
        this.#passTime();
        return Promise.resolve(run(args, shell, system));
      }),
    );
  }

  /** As long as apt takes. */
  async dawdle(): Promise<void> {
    if (this.#aptMs > 0) await sleep(this.#aptMs);
  }

  /** The model of the node has no clock: its time is moved on by as much as has really passed. */
  #passTime(): void {
    const now = performance.now();
    letTimePass(this.node, now - this.#clock);
    this.#clock = now;
  }

  #device(file: string): void {
    const owned = { owner: "root", group: "root", mode: "0666", immutable: false };
    this.node.files.put(file, { type: "other", ...owned });
  }
}

/** A program that just-bash or this folder stands for: a file, so that a search of PATH finds it. */
async function putProgram(files: NodeFileSystem, name: string): Promise<void> {
  await files.writeFile(`/usr/bin/${name}`, `(simulated ${name})\n`);
  await files.chmod(`/usr/bin/${name}`, 0o755);
}

const UPTIME_MS = 3_600_000;
const FOLDERS = [
  ...["/dev", "/etc", "/opt", "/proc/self", "/run/systemd/system", "/usr/bin", "/usr/local/bin", "/usr/sbin"],
  ...["/etc/sysctl.d", "/var/lib/dpkg/updates", "/var/log", "/var/tmp"],
];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/proc/uptime"];
const LINKS = [
  ["/bin", "usr/bin"],
  ["/sbin", "usr/sbin"],
] as const;
const OS_RELEASE = 'PRETTY_NAME="Debian GNU/Linux 12 (simulated)"\nID=debian\nVERSION_ID="12"\n';
