import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import {
  commandStep,
  factsOf,
  openTransport,
  removeKnownHosts,
  requestFor,
  runOn,
  statesOf,
  takeOutput,
  targetOf,
} from "./ssh-trial.ts";

let fleet: Fleet;
let node: FleetNode;
let transport: Transport;

beforeAll(async () => {
  fleet = await startFleet({ id: "transport", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  transport = await openTransport(fleet);
});
afterAll(async () => {
  await transport?.close();
  removeKnownHosts();
  await fleet?.stop();
});
afterEach(() => node.exec("rm -rf /root/out"));

describe("accounts", () => {
  test.each([
    ["ops", "sudo"],
    ["root", "none"],
    ["root", "sudo"],
    ["fishy", "sudo"],
    ["noisy", "sudo"],
  ] as const)("%s, become: %s", async (user, become) => {
    const target = targetOf(node, { user, become });
    const facts = await factsOf(transport, target);
    const machineId = createHash("sha256")
      .update(readFileSync(`${node.root}/etc/machine-id`))
      .digest("hex");
    expect(facts.identity).toEqual({ machineId, kernel: "Linux", has: new Set(["dpkg", "systemd"]) });
    const steps = [commandStep("echo $(id -u) $LC_ALL $(pwd) $(umask) >>/root/out")];
    expect(statesOf(await runOn(transport, target, `run-${user}-${become}`, steps))).toEqual(["done"]);
    expect(await takeOutput(node)).toEqual(["0 C / 0022"]);
  });

  test("a German account answers as any other", async () => {
    await node.exec("echo 'LC_ALL=de_DE.UTF-8' >>/etc/environment");
    const fresh = await openTransport(fleet);
    try {
      const result = await runOn(fresh, targetOf(node), "run-german", [commandStep("ls /nowhere")]);
      expect(result).toMatchObject({ steps: [{ state: "failed", detail: expect.stringContaining("No such file") }] });
    } finally {
      await fresh.close();
      await node.exec("sed -i /LC_ALL/d /etc/environment");
    }
  });

  test("sudo that wants a password is refused as such, and nothing runs", async () => {
    const target = targetOf(node, { user: "asks" });
    const refused = { kind: "failure", outcome: "sudo-refused", message: expect.stringContaining("NOPASSWD") };
    expect(await transport.observe(target, NO_QUESTIONS)).toEqual(refused);
    const facts = await factsOf(transport, targetOf(node));
    const request = requestFor("run-asks", facts, [commandStep("echo ran >>/root/out")]);
    expect(await transport.change(target, request, () => {})).toEqual(refused);
    expect(await takeOutput(node)).toEqual([]);
  });

  test.each([
    ["an account without a shell", "odd", "usermod -s /usr/sbin/nologin", "unsupported-node", /runs no commands/],
    ["an account whose shell is gone", "odder", "usermod -s /bin/no-such-shell", "auth-failed", /none of the keys/],
  ])("%s is no sudo trouble", async (_what, user, usermod, outcome, message) => {
    await node.exec(`useradd -m ${user}; ${usermod} ${user}`);
    const result = await transport.observe(targetOf(node, { user }), NO_QUESTIONS);
    await node.exec(`userdel -r ${user}`);
    expect(result).toEqual({ kind: "failure", outcome, message: expect.stringMatching(message) });
  });

  test("a login that no key opens", async () => {
    const result = await transport.observe(targetOf(node, { user: "nobody-here" }), NO_QUESTIONS);
    expect(result).toMatchObject({ outcome: "auth-failed", message: expect.stringContaining("ROLLCALL_SSH_KEY_FILE") });
  });
});

describe("host keys", () => {
  const observeWith = async (knownHosts: string) => {
    const own = await openTransport(fleet, { knownHosts });
    try {
      return await own.observe(targetOf(node), NO_QUESTIONS);
    } finally {
      await own.close();
    }
  };
  const fingerprintOf = (line: string): string =>
    execFileSync("ssh-keygen", ["-lf", "-"], { input: line, encoding: "utf8" }).split(" ")[1] as string;
  const other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDJVuyQ5VxJbz0HAjoXZmDlmuPpVrqODmYpkOS8Q2Vog";

  test("unknown: refused, its fingerprint named, nothing learned", async () => {
    const shown = fingerprintOf(`${node.hostKey.type} ${node.hostKey.base64}`);
    const expected = { outcome: "host-key-unknown", message: expect.stringContaining(shown) };
    expect(await observeWith("")).toMatchObject(expected);
    expect(await observeWith(`elsewhere ${node.hostKey.type} ${node.hostKey.base64}\n`)).toMatchObject(expected);
  });

  test("changed: refused, both fingerprints named", async () => {
    const result = await observeWith(`${node.address} ${other}\n`);
    expect(result).toMatchObject({ outcome: "host-key-changed" });
    const { message } = result as { message: string };
    expect(message).toContain(fingerprintOf(`${node.hostKey.type} ${node.hostKey.base64}`));
    expect(message).toContain(fingerprintOf(other));
  });

  test("of another type than the one it shows now: changed as well", async () => {
    const ecdsa =
      "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBLzYxRlxbLLQ8oSPnpvVS2RYjGh8k1qlcdCVJvoVQTDP5xuYLTn/SHZ9vYPqeTlMBzPQFcbj4cKMe5FHmPCeJ24=";
    expect(await observeWith(`${node.address} ${ecdsa}\n`)).toMatchObject({ outcome: "host-key-changed" });
  });

  test("one of several: asked for the known one", async () => {
    await node.exec("ssh-keygen -q -t ecdsa -N '' -f /etc/ssh/ssh_host_ecdsa_key");
    await node.exec(
      "echo HostKey /etc/ssh/ssh_host_ecdsa_key >>/etc/ssh/sshd_config.d/fleet.conf; systemctl restart ssh",
    );
    const key = readFileSync(`${node.root}/etc/ssh/ssh_host_ecdsa_key.pub`, "utf8").split(" ").slice(0, 2).join(" ");
    expect(await observeWith(`${node.address} ${key}\n`)).toMatchObject({ kind: "observed" });
  });

  test("revoked, and known only by an authority", async () => {
    const line = `${node.address} ${node.hostKey.type} ${node.hostKey.base64}`;
    const revoked = { outcome: "host-key-changed", message: expect.stringContaining("revokes") };
    expect(await observeWith(`@revoked ${line}\n${line}\n`)).toMatchObject(revoked);
    const authority = { outcome: "host-key-unknown", message: expect.stringContaining("@cert-authority") };
    expect(await observeWith(`@cert-authority ${line}\n`)).toMatchObject(authority);
  });

  test("hashed by ssh-keygen -H", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-hashed-"));
    copyFileSync(fleet.knownHostsFile, `${folder}/known_hosts`);
    execFileSync("ssh-keygen", ["-q", "-H", "-f", `${folder}/known_hosts`], { stdio: "ignore" });
    const hashed = readFileSync(`${folder}/known_hosts`, "utf8");
    rmSync(folder, { recursive: true });
    expect(hashed).toMatch(/^\|1\|/);
    expect(await observeWith(hashed)).toMatchObject({ kind: "observed" });
  });
});

describe("steps", () => {
  test("a child that reads stdin eats nothing: it sees the end, and what stands after it runs", async () => {
    const steps = [
      commandStep("cat >>/root/out; wc -c >>/root/out"),
      commandStep("ssh -o BatchMode=yes localhost true; head -n 1 >>/root/out; echo second >>/root/out"),
      commandStep("echo third >>/root/out"),
    ];
    expect(statesOf(await runOn(transport, targetOf(node), "run-stdin", steps))).toEqual(["done", "done", "done"]);
    expect(await takeOutput(node)).toEqual(["0", "second", "third"]);
  });

  test("exit 255, a signal, a time-out: a step's own failure, never a lost link", async () => {
    const steps = [
      commandStep("exit 255", "a"),
      commandStep("kill -9 $$", "b"),
      commandStep("sleep 60", "c"),
      commandStep("echo reached >>/root/out", "d"),
    ];
    const facts = await factsOf(transport, targetOf(node));
    const request = { ...requestFor("run-ends", facts, steps), stepTimeoutMs: 1000 };
    const result = await transport.change(targetOf(node), request, () => {});
    expect(result).toMatchObject({
      kind: "changed",
      steps: [
        { state: "failed", code: "command-failed", detail: "exit status 255" },
        { state: "failed", code: "command-failed", detail: expect.stringContaining("signal 9") },
        { state: "failed", code: "step-timeout" },
        { state: "done" },
      ],
    });
    expect(await takeOutput(node)).toEqual(["reached"]);
  });

  test("are told of as they begin", async () => {
    const heard: number[] = [];
    const facts = await factsOf(transport, targetOf(node));
    const steps = [commandStep("true"), commandStep("true"), commandStep("true")];
    await transport.change(targetOf(node), requestFor("run-told", facts, steps), (index) => heard.push(index));
    expect(heard).toEqual([0, 1, 2]);
  });

  test("a daemon that a step starts holds up nobody", async () => {
    const started = performance.now();
    const steps = [commandStep("sleep 300 & echo $! >/root/daemon"), commandStep("setsid sleep 300 & true")];
    expect(statesOf(await runOn(transport, targetOf(node), "run-daemon", steps))).toEqual(["done", "done"]);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect((await factsOf(transport, targetOf(node))).busy).toBe(false);
    await node.exec("pkill -f 'sleep 300'");
  });

  test("a file of 5 MB travels whole and quickly", async () => {
    const bytes = Buffer.alloc(5_000_000, "rollcall\0\xff\n'\"", "latin1");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const content = { sha256, size: bytes.length, bytes: () => bytes };
    const write = { do: "write-file", path: "/root/big", content, mode: "0640", owner: "root", group: "root" } as const;
    const steps = [{ role: "role", resource: "file:/root/big", needs: ["role"], effects: [write] }];
    const started = performance.now();
    const result = await runOn(transport, targetOf(node), "run-big", steps);
    expect(statesOf(result)).toEqual(["done"]);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(
      createHash("sha256")
        .update(readFileSync(`${node.root}/root/big`))
        .digest("hex"),
    ).toBe(sha256);
    await node.exec("rm /root/big");
  });

  test("what the node lacks is named", async () => {
    await node.exec("mv /usr/bin/flock /usr/bin/flock.away");
    const result = await runOn(transport, targetOf(node), "run-poor", [commandStep("echo ran >>/root/out")]);
    await node.exec("mv /usr/bin/flock.away /usr/bin/flock");
    expect(result).toMatchObject({ outcome: "unsupported-node", message: expect.stringContaining("flock") });
    expect(await takeOutput(node)).toEqual([]);
  });
});
