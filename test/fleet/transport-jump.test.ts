import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeTarget } from "../../src/model/node.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { openTransport, removeKnownHosts, targetOf } from "./ssh-trial.ts";

/** Light nodes: more than a bastion's MaxStartups (10) behind it. */
const NODES = 14;

let fleet: Fleet;
let bastion: FleetNode;
let behind: readonly FleetNode[];
let inside: ReadonlyMap<string, string>;
let knownHosts: string;

beforeAll(async () => {
  fleet = await startFleet({ id: "transport-jump", nodes: NODES + 1, light: true });
  const [first, ...rest] = fleet.nodes as [FleetNode, ...FleetNode[]];
  bastion = first;
  behind = rest;
  // The address that a node has on its own network, which only the bastion can reach.
  const addresses = rest.map(async (node) => [node.name, (await node.exec("hostname -I")).stdout.trim()] as const);
  inside = new Map(await Promise.all(addresses));
  const lines = [[bastion, bastion.address] as const, ...rest.map((node) => [node, inside.get(node.name)] as const)];
  knownHosts = lines.map(([node, address]) => `${address} ${node.hostKey.type} ${node.hostKey.base64}\n`).join("");
});
afterAll(async () => {
  removeKnownHosts();
  await fleet?.stop();
});

const jump = (): NodeTarget => targetOf(bastion);
const targetBehind = (node: FleetNode, parts: Partial<NodeTarget> = {}): NodeTarget =>
  targetOf(node, { address: inside.get(node.name) ?? "", jump: jump(), ...parts });

async function withTransport<Result>(work: (transport: Transport) => Promise<Result>, hosts = knownHosts) {
  const transport = await openTransport(fleet, { knownHosts: hosts });
  try {
    return await work(transport);
  } finally {
    await transport.close();
  }
}

/** Logins that the bastion's sshd holds at this moment: one process each in the session of the user. */
async function loginsAt(node: FleetNode): Promise<number> {
  return Number((await node.exec("pgrep -c -f '^sshd: ops(@|$)' || true")).stdout);
}

describe("through a bastion", () => {
  test("all nodes at once, over one connection of the bastion, again over the connections that stand", async () => {
    await withTransport(async (transport) => {
      for (let round = 0; round < 2; round++) {
        const results = await Promise.all(behind.map((node) => transport.observe(targetBehind(node), NO_QUESTIONS)));
        expect(results.map(({ kind }) => kind)).toEqual(behind.map(() => "observed"));
        const machines = results.map((result) => result.kind === "observed" && result.facts.identity.machineId);
        expect(new Set(machines).size).toBe(NODES);
        expect(await loginsAt(bastion)).toBe(1);
      }
    });
    expect(await loginsAt(bastion)).toBe(0);
  });

  test("its own host key is pinned, and so is the node's", async () => {
    const node = behind[0] as FleetNode;
    const without = (address: string): string =>
      knownHosts
        .split("\n")
        .filter((line) => !line.startsWith(`${address} `))
        .join("\n");
    const observe = (transport: Transport) => transport.observe(targetBehind(node), NO_QUESTIONS);
    expect(await withTransport(observe, without(bastion.address))).toMatchObject({
      outcome: "host-key-unknown",
      message: expect.stringMatching(/^jump host n1: /),
    });
    expect(await withTransport(observe, without(inside.get(node.name) ?? ""))).toMatchObject({
      outcome: "host-key-unknown",
      message: expect.not.stringMatching(/^jump host/),
    });
  });

  test("a node that is not there is unreachable, and takes no other with it", async () => {
    const [gone, other] = behind as [FleetNode, FleetNode];
    await gone.kill();
    await withTransport(async (transport) => {
      const [silent, refused, fine] = await Promise.all([
        transport.observe(targetBehind(gone, { connectTimeoutMs: 1000 }), NO_QUESTIONS),
        transport.observe(targetBehind(other, { port: 2, connectTimeoutMs: 1000 }), NO_QUESTIONS),
        transport.observe(targetBehind(other), NO_QUESTIONS),
      ]);
      expect(silent).toMatchObject({ outcome: "unreachable", message: expect.stringContaining("TCP connection") });
      expect(refused).toMatchObject({ outcome: "unreachable", message: expect.stringContaining("jump host") });
      expect(fine.kind).toBe("observed");
    });
    await gone.start();
  });

  test("a bastion that forwards nothing says so", async () => {
    await bastion.exec("echo AllowTcpForwarding no >/etc/ssh/sshd_config.d/00-no.conf; kill -HUP 1");
    const node = behind[0] as FleetNode;
    const result = await withTransport((transport) => transport.observe(targetBehind(node), NO_QUESTIONS));
    await bastion.exec("rm /etc/ssh/sshd_config.d/00-no.conf; kill -HUP 1");
    expect(result).toMatchObject({ outcome: "unreachable", message: expect.stringContaining("AllowTcpForwarding") });
  });

  test("a bastion that goes away in the middle leaves its nodes' answers unknown", async () => {
    const node = behind[0] as FleetNode;
    await node.exec(
      "mkfifo -m 666 /tmp/asked; sed -i '1i echo x >/tmp/asked; read -r _ </tmp/never' /home/ops/.bashrc; mkfifo -m 666 /tmp/never",
    );
    const result = await withTransport(async (transport) => {
      const observing = transport.observe(targetBehind(node), NO_QUESTIONS);
      await node.exec("cat /tmp/asked");
      await bastion.exec("pkill -f '^sshd: ops'");
      return observing;
    });
    expect(result).toMatchObject({ outcome: "unknown" });
  });
});

describe("many logins at one address", () => {
  test("of which sshd would drop some all get in", async () => {
    // Thirty accounts' worth of connections to one sshd: users differ, so that none is shared.
    const users = Array.from({ length: 30 }, (_, index) => `u${index}`);
    await bastion.exec(users.map((user) => `useradd -m ${user}`).join("; "));
    await withTransport(async (transport) => {
      const results = await Promise.all(
        users.map((user) =>
          transport.observe(targetOf(bastion, { user, become: "none", connectTimeoutMs: 20_000 }), NO_QUESTIONS),
        ),
      );
      expect(results.map((result) => (result.kind === "failure" ? result.message : result.kind))).toEqual(
        users.map(() => "observed"),
      );
    });
  });
});
