import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { Transport } from "../../src/ports.ts";
import { loginCommand } from "../../src/shell/reply.ts";
import { changeScript } from "../../src/shell/requests.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import {
  commandStep,
  factsOf,
  holdStep,
  openTransport,
  requestFor,
  runOn,
  statesOf,
  takeOutput,
  targetOf,
  untilIdle,
} from "./ssh-trial.ts";

let fleet: Fleet;
let node: FleetNode;
let transport: Transport;

beforeAll(async () => {
  fleet = await startFleet({ id: "transport-faults", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
});
afterAll(async () => {
  await fleet?.stop();
});
beforeAll(async () => {
  transport = await openTransport(fleet, { keepaliveIntervalMs: 200 });
});
afterAll(() => transport?.close());
afterEach(async () => {
  await untilIdle(node);
  await node.exec("rm -rf /root/out");
});

describe("a stream that is cut", () => {
  test("runs nothing, wherever it is cut", async () => {
    const facts = await factsOf(transport, targetOf(node));
    const request = requestFor("run-cut", facts, [commandStep("echo ran >>/root/out")]);
    const script = changeScript(request, { boundary: randomBytes(16).toString("hex") });
    const near = Array.from({ length: 10 }, (_, index) => [index + 1, script.length - 2 - index]).flat();
    const spread = Array.from({ length: 30 }, (_, index) => Math.floor((script.length / 31) * (index + 1)));
    for (const cut of [...near, ...spread]) {
      const { stdout } = await node.ssh(loginCommand("sudo"), { stdin: script.slice(0, cut) });
      expect(stdout, `cut at ${cut} of ${script.length}`).toBe("rollcall-login-shell\n");
    }
    expect(await takeOutput(node)).toEqual([]);
    expect((await factsOf(transport, targetOf(node))).fence).toEqual(facts.fence);
    expect((await node.ssh(loginCommand("sudo"), { stdin: script })).stdout).toContain(" end 0\n");
    expect(await takeOutput(node)).toEqual(["ran"]);
  });
});

describe("a link", () => {
  test("lost in the middle of a change: unknown, never success; the node goes on, the next run knows", async () => {
    const target = targetOf(node);
    const held = await holdStep(node, "held");
    const result = runOn(transport, target, "run-lost", [held.step, commandStep("echo last >>/root/out")]);
    await held.begun();
    await node.exec("pkill -f 'sshd: ops'");
    expect(await result).toMatchObject({ outcome: "unknown", message: expect.stringContaining("apply again") });
    await held.letGo();
    await untilIdle(node);
    const facts = await factsOf(transport, target);
    expect(facts.lastRun).toMatchObject({
      runId: "run-lost",
      ended: true,
      steps: [{ state: "done" }, { state: "done" }],
    });
    expect(await takeOutput(node)).toEqual(["held", "last"]);
  });

  test("that goes silent in the middle of a change: unknown", async () => {
    const target = targetOf(node);
    const held = await holdStep(node, "held");
    const result = runOn(transport, target, "run-silent", [held.step]);
    await held.begun();
    await node.cut();
    expect(await result).toMatchObject({ outcome: "unknown" });
    await node.heal();
    await held.letGo();
    await untilIdle(node);
    expect((await factsOf(transport, target)).lastRun).toMatchObject({ runId: "run-silent", ended: true });
    expect(await takeOutput(node)).toEqual(["held"]);
  });

  test("that is there no more: unreachable, also where a connection was open", async () => {
    const own = await openTransport(fleet);
    const target = targetOf(node, { connectTimeoutMs: 1000 });
    await factsOf(own, target);
    const nobody = targetOf(node, { port: 2, connectTimeoutMs: 5000 });
    const refused = { outcome: "unreachable", message: expect.stringContaining("ECONNREFUSED") };
    expect(await transport.observe(nobody, NO_QUESTIONS)).toMatchObject(refused);
    await node.cut();
    const fresh = await openTransport(fleet);
    const silent = { outcome: "unreachable", message: expect.stringContaining("TCP connection") };
    expect(await fresh.observe(target, NO_QUESTIONS)).toMatchObject(silent);
    expect(await own.observe(target, NO_QUESTIONS)).toMatchObject(silent);
    await node.heal();
    await Promise.all([own.close(), fresh.close()]);
  });

  test("to a node that is frozen: timed out, and in which phase", async () => {
    const target = targetOf(node, { connectTimeoutMs: 1000 });
    const fresh = await openTransport(fleet);
    await node.freeze();
    const result = await fresh.observe(target, NO_QUESTIONS);
    await node.thaw();
    expect(result).toMatchObject({ outcome: "timed-out", message: expect.stringContaining("SSH banner") });
    expect(await fresh.observe(target, NO_QUESTIONS)).toMatchObject({ kind: "observed" });
    await fresh.close();
  });

  test("to a node that freezes over a question: timed out", async () => {
    const own = await openTransport(fleet);
    const target = targetOf(node, { stepTimeoutMs: 1000, connectTimeoutMs: 2000 });
    await factsOf(own, target);
    // The login shell gives way only after it has been let, so that the question is on its way when the node freezes.
    await node.exec(
      "mkfifo /tmp/asked; chmod 666 /tmp/asked; echo 'echo x >/tmp/asked; read -r _ </tmp/never' >/tmp/rc; mkfifo /tmp/never; chmod 666 /tmp/never; cp /home/ops/.bashrc /tmp/keep; cat /tmp/rc /tmp/keep >/home/ops/.bashrc",
    );
    const result = own.observe(target, NO_QUESTIONS);
    await node.exec("cat /tmp/asked");
    await node.freeze();
    expect(await result).toMatchObject({ outcome: "timed-out", message: expect.stringContaining("stopped answering") });
    await node.thaw();
    await node.exec("cp /tmp/keep /home/ops/.bashrc; rm /tmp/asked /tmp/never /tmp/rc; pkill -u ops bash");
    await own.close();
  });
});

describe("a node", () => {
  test("that loses power in the middle leaves a record of the step that was cut off", async () => {
    const target = targetOf(node);
    const held = await holdStep(node, "held");
    const steps = [commandStep("echo first >>/root/out; sync"), held.step, commandStep("echo last >>/root/out")];
    const result = runOn(transport, target, "run-power", steps);
    await held.begun();
    await node.kill();
    expect(await result).toMatchObject({ outcome: "unknown" });
    await node.start();
    const facts = await factsOf(transport, target);
    expect(facts).toMatchObject({ busy: false, lastRun: { runId: "run-power", ended: false } });
    expect(facts.lastRun?.steps.map(({ state }) => state)).toEqual(["done", "cut-off"]);
    expect(statesOf(await runOn(transport, target, "run-after", [commandStep("echo after >>/root/out")]))).toEqual([
      "done",
    ]);
    expect(await takeOutput(node)).toEqual(["first", "after"]);
  });

  test("whose disk is full before the run: named, nothing done", async () => {
    await node.exec(
      "mkdir -p /run/keep; mount -t tmpfs -o size=16k,mode=0700 none /var/lib/rollcall; cat /dev/zero >/var/lib/rollcall/fill",
    );
    const result = await runOn(transport, targetOf(node), "run-full", [commandStep("echo ran >>/root/out")]);
    await node.exec("umount /var/lib/rollcall");
    expect(result).toMatchObject({
      outcome: "unsupported-node",
      message: expect.stringContaining("cannot be written"),
    });
    expect(await takeOutput(node)).toEqual([]);
  });

  test("whose disk fills up during the run still tells what became of each step", async () => {
    await node.exec("mount -t tmpfs -o size=64k,mode=0700 none /var/lib/rollcall");
    const steps = [
      commandStep("cat /dev/zero >/var/lib/rollcall/fill; true", "a"),
      commandStep("exit 7", "b"),
      commandStep("echo last >>/root/out", "c"),
    ];
    const result = await runOn(transport, targetOf(node), "run-fills", steps);
    await node.exec("umount /var/lib/rollcall");
    expect(statesOf(result)).toEqual(["done", "failed", "done"]);
    expect(await takeOutput(node)).toEqual(["last"]);
  });
});
