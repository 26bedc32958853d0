import { EventEmitter } from "node:events";
import type { Client } from "ssh2";
import { describe, expect, it } from "vitest";
import { connectFailure } from "../../src/adapters/ssh/connect-failure.ts";
import { connectionPool, type Lease } from "../../src/adapters/ssh/connection-pool.ts";
import { gate } from "../../src/adapters/ssh/gate.ts";
import type { NodeTarget } from "../../src/model/node.ts";

/** A connection that remembers whether it was closed; as ssh2's, it tells so later. */
class FakeClient extends EventEmitter {
  ended = false;
  readonly target: NodeTarget;
  constructor(target: NodeTarget) {
    super();
    this.target = target;
  }
  end(): void {
    this.ended = true;
    setImmediate(() => this.emit("close"));
  }
  destroy(): void {
    this.end();
  }
}

function target(name: string, jump: NodeTarget | null = null): NodeTarget {
  const timeouts = { connectTimeoutMs: 1000, stepTimeoutMs: 1000 };
  return { name, os: "linux", address: name, port: 22, user: "ops", become: "none", jump, ...timeouts };
}

function fakePool() {
  const clients: FakeClient[] = [];
  const pool = connectionPool(async (node) => {
    const client = new FakeClient(node);
    clients.push(client);
    return client as unknown as Client;
  });
  const lease = async (node: NodeTarget): Promise<Lease> => {
    const result = await pool.lease(node);
    if (result.kind !== "lease") throw new Error(result.message);
    return result;
  };
  const standing = () => clients.filter(({ ended }) => !ended).map((client) => client.target.name);
  return { pool, lease, clients, standing };
}

describe("connectionPool", () => {
  it("keeps what is given back fine, and closes what is broken", async () => {
    const { lease, clients } = fakePool();
    const first = await lease(target("a"));
    expect(first.reused).toBe(false);
    first.giveBack("fine");
    const second = await lease(target("a"));
    expect(second.reused).toBe(true);
    second.giveBack("broken");
    expect(clients[0]?.ended).toBe(true);
    expect((await lease(target("a"))).reused).toBe(false);
    expect(clients).toHaveLength(2);
  });

  it("forgets a connection that closes by itself", async () => {
    const { lease, clients } = fakePool();
    (await lease(target("a"))).giveBack("fine");
    clients[0]?.emit("close");
    expect((await lease(target("a"))).reused).toBe(false);
  });

  it("closes the one idle for longest beyond two hundred, never one in use", async () => {
    const { lease, standing } = fakePool();
    const held = await lease(target("held"));
    for (let index = 0; index < 201; index++) (await lease(target(`n${index}`))).giveBack("fine");
    (await lease(target("n1"))).giveBack("fine");
    (await lease(target("n201"))).giveBack("fine");
    expect(standing()).toHaveLength(201);
    expect(standing()).toContain("held");
    expect(standing()).toContain("n1");
    expect(standing()).not.toContain("n0");
    expect(standing()).not.toContain("n2");
    held.giveBack("fine");
  });

  it("opens a bastion once, caps its channels, and takes them from idle nodes first", async () => {
    const { pool, lease, standing, clients } = fakePool();
    const bastion = target("bastion");
    const held: Lease[] = [];
    for (let index = 0; index < 63; index++) held.push(await lease(target(`n${index}`, bastion)));
    (await lease(target("idle", bastion))).giveBack("fine");
    expect(standing()).toHaveLength(65);
    held.push(await lease(target("n63", bastion)));
    expect(standing()).not.toContain("idle");

    let entered = false;
    const waiting = lease(target("late", bastion)).then((late) => {
      entered = true;
      return late;
    });
    await new Promise(setImmediate);
    expect(entered).toBe(false);
    held[0]?.giveBack("fine");
    (await waiting).giveBack("fine");
    expect(clients.filter((client) => client.target.name === "bastion")).toHaveLength(1);
    for (const each of held) each.giveBack("fine");
    await pool.close();
    expect(standing()).toEqual([]);
  });

  it("gives the bastion's channel back when the node cannot be reached", async () => {
    const pool = connectionPool(async (node) =>
      node.jump === null ? (new FakeClient(node) as unknown as Client) : connectFailure("unreachable", "no"),
    );
    for (let index = 0; index < 200; index++) {
      expect(await pool.lease(target(`n${index}`, target("bastion")))).toMatchObject({ outcome: "unreachable" });
    }
    await pool.close();
  });

  it("says of which jump host a failure is", async () => {
    const pool = connectionPool(async () => connectFailure("host-key-changed", "it differs"));
    expect(await pool.lease(target("n", target("bastion")))).toMatchObject({
      outcome: "host-key-changed",
      message: "jump host bastion: it differs",
    });
  });

  it("closes what was still connecting when it was closed", async () => {
    const { pool, lease, standing } = fakePool();
    const late = lease(target("late"));
    await pool.close();
    await late;
    expect(standing()).toEqual([]);
  });
});

describe("gate", () => {
  it("lets so many through at a time, in order, whatever fails", async () => {
    const through = gate(2);
    const began: number[] = [];
    const endings: (() => void)[] = [];
    const work = Array.from({ length: 5 }, (_, index) =>
      through(() => {
        began.push(index);
        return new Promise<void>((resolve, reject) =>
          endings.push(index === 1 ? () => reject(new Error("no")) : resolve),
        );
      }).catch(() => {}),
    );
    for (const expected of [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
    ]) {
      await new Promise(setImmediate);
      expect(began).toEqual(expected);
      endings.shift()?.();
    }
    for (const end of endings) end();
    await Promise.all(work);
  });
});
