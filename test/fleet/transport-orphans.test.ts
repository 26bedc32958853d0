import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/ports.ts";
import type { ControllerOrder } from "./controller.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import {
  commandStep,
  factsIn,
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
let folder: string;

beforeAll(async () => {
  fleet = await startFleet({ id: "transport-orphans", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  transport = await openTransport(fleet);
  folder = mkdtempSync(join(tmpdir(), "rollcall-controller-"));
  await build({
    entryPoints: ["test/fleet/controller.ts"],
    outfile: `${folder}/controller.mjs`,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["*.node", "cpu-features"],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const __dirname = '';",
    },
    logLevel: "error",
  });
});
afterAll(async () => {
  await transport?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  await fleet?.stop();
});
afterEach(async () => {
  await untilIdle(node);
  await node.exec("rm -rf /root/out");
});

function startController(order: Omit<ControllerOrder, "knownHostsFile" | "keyFile">): ChildProcess {
  const full: ControllerOrder = { ...order, knownHostsFile: fleet.knownHostsFile, keyFile: fleet.keyFile };
  return spawn(process.execPath, [`${folder}/controller.mjs`, JSON.stringify(full)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("a killed controller", () => {
  test("leaves a node that finishes; the next run reads what happened and repeats nothing", async () => {
    const target = targetOf(node);
    const held = await holdStep(node, "held");
    const steps = [commandStep("echo first >>/root/out"), held.step, commandStep("echo last >>/root/out")];
    const before = await factsOf(transport, target);
    const controller = startController({ target, request: requestFor("run-killed", before, steps) });
    await held.begun();
    controller.kill("SIGKILL");
    await once(controller, "exit");

    const during = await factsOf(transport, target);
    expect(during).toMatchObject({ busy: true, lastRun: { runId: "run-killed", ended: false } });
    expect(during.lastRun?.steps.map(({ state }) => state)).toEqual(["done", "cut-off"]);
    await held.letGo();
    await untilIdle(node);
    const after = await factsOf(transport, target);
    expect(after).toMatchObject({ busy: false, lastRun: { runId: "run-killed", ended: true } });
    expect(after.lastRun?.steps.map(({ state }) => state)).toEqual(["done", "done", "done"]);
    // What was decided while it was at work is not done.
    const late = await transport.change(
      target,
      requestFor("run-late", during, [commandStep("echo late >>/root/out")]),
      () => {},
    );
    expect(late).toMatchObject({ kind: "stale", by: { runId: "run-killed" }, facts: { lastRun: { ended: true } } });
    expect(await takeOutput(node)).toEqual(["first", "held", "last"]);
  });

  test("whose node is claimed by a newer run: the orphan stops before its next step", async () => {
    const target = targetOf(node);
    const held = await holdStep(node, "held");
    const before = await factsOf(transport, target);
    const steps = [held.step, commandStep("echo orphan >>/root/out")];
    const controller = startController({ target, request: requestFor("run-orphan", before, steps) });
    await held.begun();
    controller.kill("SIGKILL");
    const during = await factsOf(transport, target);
    const newer = requestFor("run-newer", during, [commandStep("echo newer >>/root/out")]);
    const waiting = transport.change(target, newer, () => {});
    await node.exec("until grep -q run-newer /var/lib/rollcall/fence; do :; done");
    await held.letGo();
    const result = await waiting;
    expect(result).toMatchObject({ kind: "stale", by: { runId: "run-orphan" }, facts: { busy: false } });
    const { lastRun } = factsIn(result);
    expect(lastRun?.steps.map(({ state }) => state)).toEqual(["done", "skipped"]);
    const again = requestFor("run-newer", factsIn(result), [commandStep("echo newer >>/root/out")]);
    expect(statesOf(await transport.change(target, again, () => {}))).toEqual(["done"]);
    expect(await takeOutput(node)).toEqual(["held", "newer"]);
  });
});

describe("two controllers at once", () => {
  test("one goes on, the other hears that its steps are stale or that it was fenced; each line once", async () => {
    const target = targetOf(node);
    const other = await openTransport(fleet);
    try {
      const facts = await factsOf(transport, target);
      const results = await Promise.all([
        transport.change(target, requestFor("run-a", facts, [commandStep("echo a >>/root/out")]), () => {}),
        other.change(target, requestFor("run-b", facts, [commandStep("echo b >>/root/out")]), () => {}),
      ]);
      expect(results.map(({ kind }) => kind).sort()).toEqual(["changed", "stale"]);
      expect(await takeOutput(node)).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test("the one that is overtaken in the middle says who took over", async () => {
    const target = targetOf(node);
    const other = await openTransport(fleet);
    try {
      const held = await holdStep(node, "held");
      const first = runOn(transport, target, "run-first", [held.step, commandStep("echo no >>/root/out")]);
      await held.begun();
      const second = runOn(other, target, "run-second", [commandStep("echo second >>/root/out")]);
      await node.exec("until grep -q run-second /var/lib/rollcall/fence; do :; done");
      await held.letGo();
      expect(await second).toMatchObject({ kind: "stale", by: { runId: "run-first" } });
      expect(await first).toMatchObject({ outcome: "fenced", message: expect.stringContaining("run-second") });
      expect(await takeOutput(node)).toEqual(["held"]);
    } finally {
      await other.close();
    }
  });
});
