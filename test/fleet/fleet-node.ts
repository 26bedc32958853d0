import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Completed, runProcess } from "./run-process.ts";

/** A node as fleet.sh's inventory describes it. */
export interface NodeDescription {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly hostKey: string;
  readonly directory: string;
}

/** What a node needs of its fleet. */
export interface FleetHandle {
  readonly keyFile: string;
  readonly knownHostsFile: string;
  /** Image directories, uppermost first. */
  readonly image: readonly string[];
  verb(name: string, ...args: string[]): Promise<string>;
  describe(node: string): Promise<NodeDescription>;
}

export interface ExecOptions {
  readonly stdin?: string | Uint8Array;
  /** Default 60,000. */
  readonly timeoutMs?: number;
}

export interface SshOptions extends ExecOptions {
  /** root, ops, deploy, fishy, noisy or asks; default ops. */
  readonly user?: string;
  /** Default 10. */
  readonly connectTimeoutSeconds?: number;
}

// A session of root as sudo or cron would start it: nothing of this process's environment.
const NODE_ENVIRONMENT = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  USER: "root",
  LOGNAME: "root",
};
// The kernel and its clock are shared by every node and this machine. What the node's own init may not do, a command
// that joins its namespaces from outside must not do either; no namespace would hold it back.
const CONFINED = ["--bounding-set=-sys_time,-sys_module,-sys_rawio", "nsenter"];
const NAMESPACES = ["-m", "-u", "-i", "-n", "-p", "-C"];

export class FleetNode {
  readonly name: string;
  /** Where the controller connects to: an address of this machine's loopback, every port mapped to the node's. */
  readonly address: string;
  readonly port: number;
  readonly #fleet: FleetHandle;
  readonly #directory: string;
  #hostKey: string;

  constructor(fleet: FleetHandle, description: NodeDescription) {
    this.#fleet = fleet;
    this.#directory = description.directory;
    this.#hostKey = description.hostKey;
    this.name = description.name;
    this.address = description.address;
    this.port = description.port;
  }

  /** The key it answers with; another one after `wipe`. */
  get hostKey(): { readonly type: string; readonly base64: string } {
    const [type = "", base64 = ""] = this.#hostKey.split(" ");
    return { type, base64 };
  }

  get isOn(): boolean {
    return existsSync(`${this.#directory}/pid`);
  }

  /** The console's log: what the boot wrote, and why it failed. */
  get consoleLog(): string {
    return `${this.#directory}/console.log`;
  }

  /**
   * The node's tree, /proc and /run included, while it is on. Absolute links in it are resolved against *this*
   * machine's root: `lstat` and `readlink` them, or use `exec`.
   */
  get root(): string {
    return `/proc/${this.#init()}/root`;
  }

  /** What the node has written since it was made, as the upper layer of an overlay on `image`. */
  get disk(): { readonly upper: string; readonly image: readonly string[] } {
    return { upper: `${this.#directory}/upper`, image: this.#fleet.image };
  }

  /** Runs a command with /bin/sh as root in the node, without ssh; works on a cut or frozen node too. */
  exec(command: string, options: ExecOptions = {}): Promise<Completed> {
    return runProcess("setpriv", [...CONFINED, "-t", this.#init(), ...NAMESPACES, "--", "/bin/sh", "-c", command], {
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      env: NODE_ENVIRONMENT,
      timeoutMs: options.timeoutMs ?? 60_000,
    });
  }

  /** Runs a command through the node's sshd with OpenSSH's client; exit status 255 when there is no connection. */
  ssh(command: string, options: SshOptions = {}): Promise<Completed> {
    const settings = [
      `UserKnownHostsFile=${this.#fleet.knownHostsFile}`,
      `ConnectTimeout=${options.connectTimeoutSeconds ?? 10}`,
      "StrictHostKeyChecking=yes",
      "BatchMode=yes",
      "IdentitiesOnly=yes",
      "LogLevel=ERROR",
      "KexAlgorithms=curve25519-sha256", // the default one costs 70 ms of CPU for each connection
    ].flatMap((setting) => ["-o", setting]);
    const target = `${options.user ?? "ops"}@${this.address}`;
    const args = ["-F", "none", "-i", this.#fleet.keyFile, "-p", String(this.port), ...settings, target, command];
    return runProcess("ssh", args, {
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      timeoutMs: options.timeoutMs ?? 60_000,
    });
  }

  /** Unplugs the network cable: packets vanish, nothing is refused. */
  async cut(): Promise<void> {
    await this.#fleet.verb("cut", this.name);
  }
  async heal(): Promise<void> {
    await this.#fleet.verb("heal", this.name);
  }
  /** Stops every process of the node: connections open and nobody answers. */
  async freeze(): Promise<void> {
    await this.#fleet.verb("freeze", this.name);
  }
  async thaw(): Promise<void> {
    await this.#fleet.verb("thaw", this.name);
  }
  /** Power loss; the disk stays. */
  async kill(): Promise<void> {
    await this.#fleet.verb("kill", this.name);
  }
  /** Power on; resolves when ssh is served and systemd has nothing left to start. */
  async start(): Promise<void> {
    await this.#fleet.verb("start", this.name);
  }
  /** Power loss and a new disk with a new machine id and host key; stays off until `start`. */
  async wipe(): Promise<void> {
    await this.#fleet.verb("wipe", this.name);
    this.#hostKey = (await this.#fleet.describe(this.name)).hostKey;
  }
  /** Limits traffic towards the node to a rate as tc writes it, such as "256kbit"; "off" lifts it. */
  async slow(rate: string): Promise<void> {
    await this.#fleet.verb("slow", this.name, rate);
  }
  /** An orderly reboot from within; resolves when the node is ready again. */
  async reboot(): Promise<void> {
    const before = this.bootId;
    await this.exec("systemctl --no-block reboot");
    await this.awaitReboot(before);
  }
  /** Waits until the node has booted again since `bootId`, and is ready. For reboots that a test causes itself. */
  async awaitReboot(bootId: string, timeoutMs = 30_000): Promise<void> {
    const end = Date.now() + timeoutMs;
    while (this.bootId === bootId) {
      if (Date.now() > end)
        throw new Error(`${this.name} did not reboot within ${timeoutMs} ms, see ${this.consoleLog}`);
      await pause(20);
    }
    await this.#fleet.verb("wait", this.name);
  }
  /** Another one for each boot; the same as /proc/sys/kernel/random/boot_id in the node. */
  get bootId(): string {
    return readFileSync(`${this.#directory}/boot-id`, "utf8").trim();
  }

  #init(): string {
    try {
      return readFileSync(`${this.#directory}/pid`, "utf8").trim();
    } catch (cause) {
      throw new Error(`${this.name} is off, see ${this.consoleLog}`, { cause });
    }
  }
}
