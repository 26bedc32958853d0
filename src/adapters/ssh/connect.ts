import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "ssh2";
import type { NodeTarget } from "../../model/node.ts";
import { identityOf, type KnownHosts } from "../known-hosts.ts";
import type { ConnectFailure } from "./connect-failure.ts";
import { dialDirectly, dialThrough } from "./dial.ts";
import { type Gate, gate } from "./gate.ts";
import { handshake } from "./handshake.ts";
import type { PrivateKeys } from "./private-keys.ts";

/** Logins in flight to one address or through one bastion: OpenSSH drops some from the tenth on (MaxStartups). */
const LOGINS_AT_ONCE = 8;
const RETRIES = 2;

export interface ConnectSetting {
  readonly knownHosts: KnownHosts;
  readonly keys: PrivateKeys;
  readonly keepaliveIntervalMs: number;
}

export type Connect = (target: NodeTarget, bastion: Client | null) => Promise<Client | ConnectFailure>;

/**
 * Connects and logs in, within the target's connect timeout, retries included. Only what may help is tried again, and
 * only here: once something was sent to a node nothing is ever repeated (cases.md 58, 62).
 */
export function connector(setting: ConnectSetting): Connect {
  const gates = new Map<string, Gate>();
  const gateOf = (target: NodeTarget): Gate => {
    const key = target.jump?.name ?? target.address;
    const known = gates.get(key) ?? gate(LOGINS_AT_ONCE);
    gates.set(key, known);
    return known;
  };
  return (target, bastion) => gateOf(target)(() => withRetries(target, bastion, setting));
}

async function withRetries(
  target: NodeTarget,
  bastion: Client | null,
  setting: ConnectSetting,
): Promise<Client | ConnectFailure> {
  const deadline = performance.now() + target.connectTimeoutMs;
  for (let attempt = 0; ; attempt++) {
    const result = await connectOnce(target, bastion, setting, deadline);
    if (!isFailure(result) || !result.mayRetry || attempt === RETRIES) return result;
    const wait = (0.5 + Math.random()) * 300 * 2 ** attempt;
    if (performance.now() + wait >= deadline) return result;
    await pause(wait);
  }
}

async function connectOnce(
  target: NodeTarget,
  bastion: Client | null,
  setting: ConnectSetting,
  deadline: number,
): Promise<Client | ConnectFailure> {
  const left = () => Math.max(1, deadline - performance.now());
  const stream = await (bastion === null ? dialDirectly(target, left()) : dialThrough(bastion, target, left()));
  if (isFailure(stream)) return stream;
  const { keys, keepaliveIntervalMs } = setting;
  const identity = identityOf(setting.knownHosts, target.address, target.port);
  return handshake(stream, target, { identity, keys, timeoutMs: left(), keepaliveIntervalMs });
}

export function isFailure(result: object): result is ConnectFailure {
  return "kind" in result && result.kind === "failure";
}
