import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ssh2, { type Connection, type ServerChannel, type Session } from "ssh2";
import { sshTransport } from "../../src/adapters/ssh/transport.ts";
import type { NodeTarget } from "../../src/model/node.ts";
import type { Transport } from "../../src/ports.ts";

/** What a server does with one command. */
export type Exec = (channel: ServerChannel, command: string) => void;

export interface Behaviour {
  readonly exec?: Exec;
  /** Every session as it is opened; default: it accepts commands. */
  readonly session?: (session: Session, exec: Exec) => void;
  readonly authentication?: (connection: Connection) => void;
}

/** Keys and folders for servers in this process; one for a test file. */
export class SshBench {
  readonly #folder = mkdtempSync(join(tmpdir(), "rollcall-sshd-"));
  readonly #closing: (() => void)[] = [];

  constructor() {
    this.generate("host");
    this.generate("user");
  }

  generate(name: string): void {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(this.#folder, name)]);
  }

  /** An agent that holds the key; answers with its socket. It ends with the bench. */
  startAgent(key: string): string {
    const socket = this.file("agent");
    const started = execFileSync("ssh-agent", ["-s", "-a", socket], { encoding: "utf8" });
    const [, pid] = /SSH_AGENT_PID=(\d+)/.exec(started) ?? [];
    this.#closing.push(() => process.kill(Number(pid)));
    execFileSync("ssh-add", ["-q", this.file(key)], {
      env: { ...process.env, SSH_AUTH_SOCK: socket },
      stdio: "ignore",
    });
    return socket;
  }

  file(name: string): string {
    return join(this.#folder, name);
  }

  /** An sshd on a port of its own; its connections are counted. */
  async serve(behaviour: Behaviour = {}): Promise<{ readonly port: number; connections(): number }> {
    const hostKeys = [readFileSync(this.file("host"), "utf8")];
    let connections = 0;
    const server = new ssh2.Server({ hostKeys }, (connection) => {
      connections++;
      connection.on("error", () => {});
      if (behaviour.authentication !== undefined) behaviour.authentication(connection);
      else connection.on("authentication", (context) => context.accept());
      const exec = behaviour.exec ?? realShell;
      connection.on("session", (accept) => (behaviour.session ?? acceptCommands)(accept(), exec));
    });
    const port = await listening(server as unknown as NetServer);
    this.#closing.push(() => server.close());
    return { port, connections: () => connections };
  }

  /** A TCP server that is no sshd. */
  async serveTcp(onSocket: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      onSocket(socket);
    });
    this.#closing.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return listening(server);
  }

  target(port: number, parts: Partial<NodeTarget> = {}): NodeTarget {
    const timeouts = { connectTimeoutMs: 5000, stepTimeoutMs: 5000 };
    const address = "127.0.0.1";
    return { name: "n", os: "linux", address, port, user: "ops", become: "none", jump: null, ...timeouts, ...parts };
  }

  /** Knows the servers of this bench. */
  async transport(environment: NodeJS.ProcessEnv = { ROLLCALL_SSH_KEY_FILE: this.file("user") }): Promise<Transport> {
    const [type, base64] = readFileSync(this.file("host.pub"), "utf8").split(" ");
    writeFileSync(this.file("known_hosts"), `127.0.0.1 ${type} ${base64}\n`);
    return sshTransport({ knownHostsFile: this.file("known_hosts"), environment, keepaliveIntervalMs: 100 });
  }

  close(): void {
    for (const close of this.#closing) close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** As a real login shell: the command, with the channel for its three streams. */
export const realShell: Exec = (channel, command) => {
  const child = spawn("/bin/sh", ["-c", command], { stdio: "pipe" });
  channel.pipe(child.stdin);
  child.stdin.on("error", () => {});
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on("close", (code) => {
    channel.exit(code ?? 255);
    channel.end();
  });
};

export function acceptCommands(session: Session, exec: Exec): void {
  session.on("exec", (accept, _reject, { command }) => exec(accept(), command));
}

function listening(server: NetServer): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
