import type { Client } from "ssh2";
import type { NodeTarget } from "../../model/node.ts";
import { type Connect, isFailure } from "./connect.ts";
import { type ConnectFailure, connectFailure } from "./connect-failure.ts";

/** Connections kept open between a node's round trips; beyond that the one idle for longest is closed. */
const IDLE_AT_MOST = 200;
/** Connections of nodes that go through one bastion at one time: each is a channel of its connection. */
const THROUGH_ONE_BASTION = 64;

/** A connection in use by one caller, who gives it back. */
export interface Lease {
  readonly kind: "lease";
  readonly client: Client;
  /** It was open already, and may have died since without a word. */
  readonly reused: boolean;
  /** `broken`: it is of no use to anybody any more. */
  giveBack(how: "fine" | "broken"): void;
}

export interface ConnectionPool {
  lease(target: NodeTarget): Promise<Lease | ConnectFailure>;
  /** Closes everything; resolves when the sockets are gone or a second has passed. */
  close(): Promise<void>;
}

interface Entry {
  readonly key: string;
  readonly client: Client;
  readonly bastion: Lease | null;
  /** Node name of the bastion, whose channels are counted. */
  readonly via: string | null;
  users: number;
  closed: boolean;
}

/** One connection per node and login, opened when it is first needed (DESIGN §7). */
export function connectionPool(connect: Connect): ConnectionPool {
  const opening = new Map<string, Promise<Entry | ConnectFailure>>();
  /** Open connections, the one used longest ago first. */
  const open = new Map<string, Entry>();
  const channels = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let shut = false;

  const drop = (entry: Entry): void => {
    if (entry.closed) return;
    entry.closed = true;
    if (open.get(entry.key) === entry) open.delete(entry.key);
    if (entry.via !== null) leaveBastion(entry.via);
    entry.client.end();
    entry.bastion?.giveBack("fine");
  };
  const leaveBastion = (via: string): void => {
    channels.set(via, (channels.get(via) ?? 1) - 1);
    for (const wake of waiting.splice(0)) wake();
  };
  const oldestIdle = (via?: string): Entry | undefined =>
    [...open.values()].find((entry) => entry.users === 0 && (via === undefined || entry.via === via));

  /** Takes one of the bastion's channels, when need be from a node that is idle. */
  const enterBastion = async (via: string): Promise<void> => {
    while ((channels.get(via) ?? 0) >= THROUGH_ONE_BASTION) {
      const idle = oldestIdle(via);
      if (idle !== undefined) drop(idle);
      else await new Promise<void>((wake) => waiting.push(wake));
    }
    channels.set(via, (channels.get(via) ?? 0) + 1);
  };

  const openEntry = async (key: string, target: NodeTarget): Promise<Entry | ConnectFailure> => {
    const { jump } = target;
    const bastion = jump === null ? null : await lease(jump);
    if (bastion !== null && isFailure(bastion)) {
      return connectFailure(bastion.outcome, `jump host ${jump?.name}: ${bastion.message}`);
    }
    const via = jump?.name ?? null;
    if (via !== null) await enterBastion(via);
    const client = await connect(target, bastion?.client ?? null);
    if (isFailure(client)) {
      if (via !== null) leaveBastion(via);
      bastion?.giveBack("fine");
      return client;
    }
    const entry: Entry = { key, client, bastion, via, users: 0, closed: false };
    client.once("close", () => drop(entry));
    open.set(key, entry);
    if (shut) drop(entry);
    return entry;
  };

  const hold = (entry: Entry, reused: boolean): Lease => {
    entry.users++;
    let given = false;
    return {
      kind: "lease",
      client: entry.client,
      reused,
      giveBack(how) {
        if (given) return;
        given = true;
        entry.users--;
        if (how === "broken") drop(entry);
        if (entry.users > 0 || entry.closed) return;
        open.delete(entry.key);
        open.set(entry.key, entry);
        for (const wake of waiting.splice(0)) wake();
        const idle = [...open.values()].filter(({ users }) => users === 0);
        for (const surplus of idle.slice(0, Math.max(0, idle.length - IDLE_AT_MOST))) drop(surplus);
      },
    };
  };

  const lease = async (target: NodeTarget): Promise<Lease | ConnectFailure> => {
    const key = keyOf(target);
    const known = open.get(key);
    if (known !== undefined) return hold(known, true);
    const underway = opening.get(key);
    const promise = underway ?? openEntry(key, target).finally(() => opening.delete(key));
    opening.set(key, promise);
    const entry = await promise;
    return isFailure(entry) ? entry : hold(entry, false);
  };

  return {
    lease,
    async close() {
      shut = true;
      const clients = [...open.values()].map(({ client }) => client);
      // Nodes before the bastions that carry them: those were opened first.
      for (const entry of [...open.values()].reverse()) drop(entry);
      await Promise.all(clients.map(closed));
    },
  };
}

function keyOf(target: NodeTarget): string {
  const own = `${target.user}@${target.address}:${target.port}`;
  return target.jump === null ? own : `${keyOf(target.jump)} ${own}`;
}

function closed(client: Client): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      client.destroy();
      resolve();
    }, 1000);
    client.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
