import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Client } from "ssh2";
import type { NodeTarget } from "../../model/node.ts";
import { type ConnectFailure, connectFailure, connectTimedOut, place } from "./connect-failure.ts";

/** A byte stream to the node's sshd, by TCP. */
export function dialDirectly(target: NodeTarget, timeoutMs: number): Promise<Socket | ConnectFailure> {
  return new Promise((resolve) => {
    const socket = connect({ host: target.address, port: target.port });
    const settle = (result: Socket | ConnectFailure): void => {
      clearTimeout(timer);
      if (result !== socket) socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle(connectTimedOut(target, "TCP connection")), timeoutMs);
    // Stays for the socket's whole life: an error that nobody listens to would end the process.
    socket.on("error", (error: NodeJS.ErrnoException) => settle(dialFailure(target, error.code ?? error.message)));
    socket.once("connect", () => {
      socket.setNoDelay(true);
      settle(socket);
    });
  });
}

/** The same through a bastion: a channel of its connection that its sshd joins to the node's. */
export function dialThrough(bastion: Client, target: NodeTarget, timeoutMs: number): Promise<Duplex | ConnectFailure> {
  return new Promise((resolve) => {
    let waiting = true;
    const settle = (result: Duplex | ConnectFailure): void => {
      if (!waiting) return;
      waiting = false;
      clearTimeout(timer);
      resolve(result);
    };
    const timer = setTimeout(() => settle(connectTimedOut(target, "TCP connection")), timeoutMs);
    const lost = () => settle(connectFailure("unreachable", "the connection to its jump host was lost", true));
    try {
      bastion.forwardOut("127.0.0.1", 0, target.address, target.port, (error, channel) => {
        if (error !== undefined) return settle(forwardFailure(target, error));
        if (!waiting) return channel.close();
        channel.on("error", () => {});
        settle(channel);
      });
    } catch {
      lost(); // ssh2 throws when the connection is gone already
    }
  });
}

function dialFailure(target: NodeTarget, code: string): ConnectFailure {
  if (code === "ENOTFOUND") {
    return connectFailure(
      "unreachable",
      `the name ${target.address} does not exist; mend the address in its node file`,
    );
  }
  const mayRetry = code !== "EINVAL";
  return connectFailure("unreachable", `${place(target)} cannot be reached: ${code}`, mayRetry);
}

function forwardFailure(target: NodeTarget, error: Error & { reason?: unknown }): ConnectFailure {
  if (error.reason === 1) {
    const message = "its jump host forwards no connections; set AllowTcpForwarding and PermitOpen there";
    return connectFailure("unreachable", message);
  }
  return connectFailure("unreachable", `its jump host cannot reach ${place(target)}: ${error.message}`, true);
}
