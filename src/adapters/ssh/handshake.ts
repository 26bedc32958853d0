import type { Duplex } from "node:stream";
import ssh2, { type Algorithms, type AnyAuthMethod, type Client, type ServerHostKeyAlgorithm } from "ssh2";
import type { NodeTarget } from "../../model/node.ts";
import {
  fingerprint,
  type HostIdentity,
  type HostKey,
  type HostVerdict,
  hostKey,
  verifyHostKey,
} from "../known-hosts.ts";
import { type ConnectFailure, type ConnectPhase, connectFailure, connectTimedOut, place } from "./connect-failure.ts";
import type { PrivateKeys } from "./private-keys.ts";

export interface HandshakeSetting {
  readonly identity: HostIdentity;
  readonly keys: PrivateKeys;
  readonly timeoutMs: number;
  readonly keepaliveIntervalMs: number;
}

/** Unanswered keepalives before a link counts as dead. */
const KEEPALIVE_COUNT = 6;

/** SSH over a byte stream, up to the point where channels can be opened. The stream is the client's from then on. */
export function handshake(
  stream: Duplex,
  target: NodeTarget,
  setting: HandshakeSetting,
): Promise<Client | ConnectFailure> {
  return new Promise((resolve) => {
    const client = new ssh2.Client();
    let phase: ConnectPhase = "SSH banner";
    let refused: ConnectFailure | undefined;
    let waiting = true;
    const settle = (result: Client | ConnectFailure): void => {
      if (!waiting) return;
      waiting = false;
      clearTimeout(timer);
      if (result !== client) stream.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle(connectTimedOut(target, phase)), setting.timeoutMs);

    // The listeners stay for the client's whole life; after the handshake they hear and say nothing.
    client.on("error", (error: SshError) => {
      // A broken agent is passed over by ssh2, which then tries what is left.
      if (error.level !== "agent") settle(refused ?? handshakeFailure(target, phase, error, setting.keys));
    });
    client.on("close", () => settle(refused ?? handshakeFailure(target, phase, new Error("closed"), setting.keys)));
    client.on("handshake", () => {
      phase = "authentication";
    });
    client.on("ready", () => settle(client));

    client.connect({
      sock: stream,
      username: target.user,
      readyTimeout: 0,
      keepaliveInterval: setting.keepaliveIntervalMs,
      keepaliveCountMax: KEEPALIVE_COUNT,
      algorithms: { ...ALGORITHMS, serverHostKey: hostKeyAlgorithms(setting.identity) },
      hostVerifier: (wire: Buffer) => {
        const presented = hostKey(wire);
        const verdict = presented === undefined ? "unknown" : verifyHostKey(setting.identity, presented);
        if (verdict === "known") return true;
        refused = hostKeyFailure(target, verdict, setting.identity, presented);
        return false;
      },
      authHandler: setting.keys.offers.map(({ method }) => ({ ...method, username: target.user }) as AnyAuthMethod),
    });
    stream.once("data", () => {
      if (phase === "SSH banner") phase = "key exchange";
    });
  });
}

/** `code` is a number when the server said why it ended the connection (RFC 4253 §11.1). */
type SshError = Error & { level?: string; code?: string | number };

/** What costs least among what is safe: OpenSSH's own first choice costs 70 ms of CPU a connection (not in ssh2 anyway). */
const ALGORITHMS: Algorithms = {
  kex: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group14-sha256",
  ],
  cipher: [
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "chacha20-poly1305@openssh.com",
    "aes128-ctr",
    "aes256-ctr",
  ],
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  compress: ["none"],
};

const HOST_KEY_ALGORITHMS: Readonly<Record<string, readonly ServerHostKeyAlgorithm[]>> = {
  "ssh-ed25519": ["ssh-ed25519"],
  "ecdsa-sha2-nistp256": ["ecdsa-sha2-nistp256"],
  "ecdsa-sha2-nistp384": ["ecdsa-sha2-nistp384"],
  "ecdsa-sha2-nistp521": ["ecdsa-sha2-nistp521"],
  "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256"],
};

/**
 * Those of the known keys first, so that a node with several keys shows the one that is known; then the others, so that
 * the key of a node that has lost the known one can still be named.
 */
function hostKeyAlgorithms(identity: HostIdentity): ServerHostKeyAlgorithm[] {
  const types = [...identity.keys.map((key) => key.type), ...Object.keys(HOST_KEY_ALGORITHMS)];
  return [...new Set(types.flatMap((type) => HOST_KEY_ALGORITHMS[type] ?? []))];
}

function hostKeyFailure(
  target: NodeTarget,
  verdict: Exclude<HostVerdict, "known">,
  identity: HostIdentity,
  presented: HostKey | undefined,
): ConnectFailure {
  const shown = presented === undefined ? "an unreadable key" : `${presented.type} ${fingerprint(presented)}`;
  if (verdict === "revoked") {
    return connectFailure("host-key-changed", `${place(target)} shows ${shown}, which roster/known_hosts revokes`);
  }
  if (verdict === "changed") {
    const known = identity.keys.map((key) => `${key.type} ${fingerprint(key)}`).join(", ");
    const message = `${place(target)} shows ${shown}, but roster/known_hosts has ${known}: it was reinstalled, or something stands in between; ask its console, then replace the line`;
    return connectFailure("host-key-changed", message);
  }
  const authority = identity.authorityOnly ? " (its @cert-authority line is not supported)" : "";
  const message = `${place(target)} shows ${shown}, and roster/known_hosts has no key for it${authority}; compare with its console, then add the line`;
  return connectFailure("host-key-unknown", message);
}

function handshakeFailure(target: NodeTarget, phase: ConnectPhase, error: SshError, keys: PrivateKeys): ConnectFailure {
  if (error.level === "client-authentication") {
    const offered = keys.offers.map(({ source }) => source).join(", ");
    const message = `${place(target)} lets ${target.user} in with none of the keys offered (${offered}); add the public key to its authorized_keys`;
    return connectFailure("auth-failed", message);
  }
  if (error.level === "handshake") {
    return connectFailure(
      "unsupported-node",
      `${place(target)} and rollcall agree on no SSH algorithms: ${error.message}`,
    );
  }
  if (phase === "authentication" && typeof error.code === "number") {
    return connectFailure("auth-failed", `${place(target)} ended the login of ${target.user}: ${error.message}`);
  }
  const message = `${place(target)} closed the connection (${phase}): ${error.message}; is it an SSH server, and is its MaxStartups enough?`;
  return connectFailure("unreachable", message, true);
}
