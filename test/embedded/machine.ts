import { Bash, type CommandName, defineCommand } from "just-bash";
import { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { NODE_COMMANDS } from "./commands/index.ts";
import { NodeFileSystem } from "./file-system.ts";
import { type NodeProcess, processes } from "./process.ts";

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
const LIMITS = { maxCommandCount: 2_000_000, maxLoopIterations: 1_000_000, maxCallDepth: 200 };

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
  readonly node = new MemoryNode();
  readonly files = new NodeFileSystem(this.node.files);
  /** Held by `flock` or a like program: path of the lock → pid of the holder. */
  readonly locks = new Map<string, number>();
  readonly running = new Map<number, NodeProcess>();
  #lastPid = 100;
  readonly #commands = Object.entries(NODE_COMMANDS).map(([name, run]) =>
    defineCommand(name, async (args, shell) => run(args, shell, this)),
  );

  constructor(readonly name: string) {}

  async boot(login: string, machineId: string): Promise<void> {
    for (const folder of FOLDERS) await this.files.mkdir(folder, { recursive: true });
    for (const [link, target] of LINKS) await this.files.symlink(target, link);
    for (const name of ["tmp", "var/tmp"]) await this.files.chmod(`/${name}`, 0o1777);
    this.node.users.set(login, `/home/${login}`);
    this.node.groups.add(login);
    await this.files.mkdir(`/home/${login}`);
    await this.files.change(`/home/${login}`, { owner: login, group: login });
    await this.files.writeFile("/etc/hostname", `${this.name}\n`);
    await this.files.writeFile("/etc/machine-id", `${machineId}\n`);
    await this.files.writeFile("/etc/os-release", OS_RELEASE);
    for (const device of ["null", "zero", "random", "urandom"]) await this.#device(`/dev/${device}`);
    for (const name of [...DEBIAN_PROGRAMS, ...Object.keys(NODE_COMMANDS)]) await this.#program(name);
  }

  /** Runs a script as the whole input of a shell; never throws for what the script does. */
  async run(script: string, options: RunOptions = {}): Promise<Ran> {
    const pid = ++this.#lastPid;
    const user = options.user ?? "root";
    const process: NodeProcess = { pid, user, umask: 0o022, exitTrap: null, onProgress: options.onProgress };
    this.running.set(pid, process);
    try {
      return await processes.run(process, () => this.#shell(script, process, options.stdin ?? ""));
    } finally {
      this.running.delete(pid);
    }
  }

  async #shell(script: string, process: NodeProcess, stdin: string): Promise<Ran> {
    const home = this.node.users.get(process.user) ?? "/";
    const bash = new Bash({
      fs: this.files,
      cwd: home,
      env: { PATH, HOME: home, USER: process.user, LOGNAME: process.user, SHELL: "/bin/sh", HOSTNAME: this.name },
      commands: [...DEBIAN_PROGRAMS],
      customCommands: this.#commands,
      executionLimits: LIMITS,
      defenseInDepth: false,
      processInfo: { pid: process.pid, ppid: 1, uid: process.user === "root" ? 0 : 1000, gid: 0 },
    });
    const ran = await bash.exec(script, { rawScript: true, stdin, stdinKind: "bytes" });
    const { exitTrap } = process;
    if (exitTrap === null) return ran;
    const last = await bash.exec(exitTrap, { rawScript: true });
    return { exitCode: ran.exitCode, stdout: ran.stdout + last.stdout, stderr: ran.stderr + last.stderr };
  }

  /** A program that just-bash or this folder stands for: a file, so that a search of PATH finds it. */
  async #program(name: string): Promise<void> {
    const file = `/usr/bin/${name}`;
    await this.files.writeFile(file, `(simulated ${name})\n`);
    await this.files.chmod(file, 0o755);
  }

  async #device(file: string): Promise<void> {
    const owned = { owner: "root", group: "root", mode: "0666", immutable: false };
    this.node.files.put(file, { type: "other", ...owned });
  }
}

const FOLDERS = [
  ...["/root", "/home", "/etc/systemd/system", "/run/systemd/system", "/dev", "/tmp", "/var/tmp", "/proc", "/opt"],
  ...["/var/lib/dpkg", "/var/log", "/usr/bin", "/usr/sbin", "/usr/lib/systemd/system", "/usr/local/bin", "/srv"],
];
const LINKS = [
  ["/bin", "usr/bin"],
  ["/sbin", "usr/sbin"],
  ["/lib", "usr/lib"],
] as const;
const OS_RELEASE = 'PRETTY_NAME="Debian GNU/Linux 12 (simulated)"\nID=debian\nVERSION_ID="12"\n';
