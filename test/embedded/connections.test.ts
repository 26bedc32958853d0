import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sshTransport } from "../../src/adapters/ssh/transport.ts";
import type { NodeTarget } from "../../src/model/node.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import { type EmbeddedFleet, startEmbeddedFleet } from "./fleet.ts";
import { newKeyPair } from "./ssh-keys.ts";

/** What keeps a node from answering is an outcome of its own, and of that node alone (DESIGN §7). */
describe("a connection", () => {
  let fleet: EmbeddedFleet;
  let folder: string;

  beforeAll(async () => {
    fleet = await startEmbeddedFleet([{ name: "one" }, { name: "two" }, { name: "three", refusesSudo: true }]);
    folder = mkdtempSync(join(tmpdir(), "rollcall-connections-"));
  });
  afterAll(async () => {
    await fleet.close();
    rmSync(folder, { recursive: true });
  });

  const target = (name: string, other: Partial<NodeTarget> = {}): NodeTarget => ({
    ...{ name, os: "linux", address: "127.0.0.1", port: fleet.node(name).port, user: fleet.user, become: "sudo" },
    ...{ jump: null, connectTimeoutMs: 20_000, stepTimeoutMs: 20_000 },
    ...other,
  });
  async function outcome(to: NodeTarget, other: { knownHosts?: string; key?: string } = {}): Promise<string> {
    const knownHostsFile = join(folder, "known_hosts");
    writeFileSync(knownHostsFile, other.knownHosts ?? fleet.nodes.map((node) => `${node.knownHostsLine}\n`).join(""));
    const environment = { ROLLCALL_SSH_KEY: other.key ?? fleet.clientKey.privateKey };
    const transport = await sshTransport({ knownHostsFile, environment });
    try {
      const observation = await transport.observe(to, NO_QUESTIONS);
      return observation.kind === "failure" ? observation.outcome : observation.kind;
    } finally {
      await transport.close();
    }
  }

  it("to a known host with the right key is let in", async () => {
    expect(await outcome(target("one"))).toBe("observed");
  });

  it("to a host that known_hosts does not name is refused", async () => {
    expect(await outcome(target("one"), { knownHosts: "" })).toBe("host-key-unknown");
  });

  it("to a host with another key than known_hosts has is refused", async () => {
    const changed = fleet.node("one").knownHostsLine.replace(/ssh-ed25519 .*/, newKeyPair().publicKey);
    expect(await outcome(target("one"), { knownHosts: `${changed}\n` })).toBe("host-key-changed");
  });

  it("with a key that no node knows is not let in", async () => {
    expect(await outcome(target("one"), { key: newKeyPair().privateKey })).toBe("auth-failed");
  });

  it("of a login that nobody has is not let in", async () => {
    expect(await outcome(target("one", { user: "stranger" }))).toBe("auth-failed");
  });

  it("to a node whose sudo wants a password is told apart from a failed step", async () => {
    expect(await outcome(target("three"))).toBe("sudo-refused");
    expect(await outcome(target("three", { become: "none" }))).toBe("observed");
  });

  it("goes by way of another node", async () => {
    expect(await outcome(target("two", { jump: target("one") }))).toBe("observed");
  });

  it("to a node that was unplugged fails, and stands again when it is back", async () => {
    await fleet.node("two").unplug();
    expect(await outcome(target("two"))).toBe("unreachable");
    await fleet.node("two").plugIn();
    expect(await outcome(target("two"))).toBe("observed");
  });
});
