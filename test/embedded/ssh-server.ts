import { type AddressInfo, connect } from "node:net";
import type { AuthContext, Connection, ServerChannel } from "ssh2";
import ssh2 from "ssh2";
import type { Machine, Ran } from "./machine.ts";
import type { KeyPair } from "./ssh-keys.ts";

/** The one account of a node. */
export interface Login {
  readonly user: string;
  readonly publicKey: string;
  readonly mayBecomeRoot: boolean;
}

export interface SshServer {
  readonly port: number;
  /** Cuts every connection and frees the port; a later `listen` takes the same port again. */
  close(): Promise<void>;
  listen(): Promise<void>;
}

/** sshd for one machine: public key logins, `exec`, and forwarding for nodes that are reached by way of it. */
export async function startSshServer(machine: Machine, hostKey: KeyPair, login: Login): Promise<SshServer> {
  const connections = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey.privateKey], ident: "embedded" }, (connection) => {
    connections.add(connection);
    connection.on("close", () => connections.delete(connection));
    // A client that hangs up in the middle is no fault of the node.
    connection.on("error", () => {});
    connection.on("authentication", (context) => authenticate(context, login));
    connection.on("session", (accept) => {
      accept().on("exec", (acceptExec, _reject, { command }) => serveExec(machine, login, command, acceptExec()));
    });
    connection.on("tcpip", (accept, reject, { destIP, destPort }) => {
      const socket = connect(destPort, destIP, () => {
        const channel = accept();
        socket.pipe(channel).pipe(socket);
      });
      socket.on("error", () => reject());
    });
  });
  let port = 0;
  const listen = () =>
    new Promise<void>((resolve, fail) => {
      server.once("error", fail);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", fail);
        port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  await listen();
  return {
    get port() {
      return port;
    },
    listen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of connections) connection.end();
      }),
  };
}

function authenticate(context: AuthContext, login: Login): void {
  if (isWelcome(context, login)) context.accept();
  else context.reject(["publickey"]);
}

function isWelcome(context: AuthContext, login: Login): boolean {
  if (context.method !== "publickey" || context.username !== login.user) return false;
  const allowed = ssh2.utils.parseKey(login.publicKey);
  if (allowed instanceof Error) throw allowed;
  const key = Array.isArray(allowed) ? allowed[0] : allowed;
  if (key === undefined || !key.getPublicSSH().equals(context.key.data)) return false;
  // Without a signature the client only asks whether this key would do.
  if (context.signature === undefined || context.blob === undefined) return true;
  return key.verify(context.blob, context.signature, context.hashAlgo) === true;
}

/** A login shell that says something and gives way to one that reads its script from stdin, as root by way of sudo or not. */
const SHELL_ON_STDIN = /^(?:echo ([\w-]+); )?(?:exec )?(sudo -n (?:-- )?)?\/bin\/sh -s$/;

const SUDO_REFUSAL: Ran = { exitCode: 1, stdout: "", stderr: "sudo: a password is required\n" };

function serveExec(machine: Machine, login: Login, command: string, channel: ServerChannel): void {
  const pieces: Buffer[] = [];
  channel.on("data", (piece: Buffer) => pieces.push(piece));
  // A stream that is cut has no end: nothing runs, as no shell would run a command that it has half of.
  channel.on("end", () => {
    execute(machine, login, command, Buffer.concat(pieces), channel).then(
      (ran) => answer(channel, ran),
      (error: unknown) => answer(channel, { exitCode: 255, stdout: "", stderr: `embedded node: ${String(error)}\n` }),
    );
  });
}

function execute(machine: Machine, login: Login, command: string, stdin: Buffer, channel: ServerChannel): Promise<Ran> {
  const onProgress = (text: string): void => {
    if (!channel.destroyed) channel.write(text);
  };
  const shell = SHELL_ON_STDIN.exec(command);
  if (shell === null) return machine.run(command, { user: login.user, onProgress, stdin: stdin.toString("latin1") });
  if (shell[1] !== undefined) channel.write(`${shell[1]}\n`);
  if (shell[2] === undefined) return machine.run(stdin.toString("utf8"), { user: login.user, onProgress });
  if (!login.mayBecomeRoot) return Promise.resolve(SUDO_REFUSAL);
  return machine.run(stdin.toString("utf8"), { user: "root", onProgress });
}

function answer(channel: ServerChannel, { exitCode, stdout, stderr }: Ran): void {
  if (channel.destroyed) return;
  channel.stderr.write(stderr);
  channel.write(stdout);
  channel.exit(exitCode);
  channel.end();
}
