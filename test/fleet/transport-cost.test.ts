import ssh2 from "ssh2";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { NodeQuestions } from "../../src/model/node-question.ts";
import type { Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { commandStep, factsOf, openTransport, requestFor, runOn, targetOf } from "./ssh-trial.ts";

/** Light: on a machine where nothing else starts processes they can be counted. */
let fleet: Fleet;
let node: FleetNode;
let transport: Transport;

beforeAll(async () => {
  fleet = await startFleet({ id: "transport-cost", nodes: 1, light: true });
  [node] = fleet.nodes as [FleetNode];
  transport = await openTransport(fleet);
  // A run has been here, the connection stands: what is counted is one round trip and nothing else.
  await runOn(transport, targetOf(node), "run-0", [commandStep("true")]);
});
afterAll(async () => {
  await transport?.close();
  await fleet?.stop();
});
afterEach(() => void vi.restoreAllMocks());

function questions(count: number): NodeQuestions {
  const numbers = Array.from({ length: count }, (_, index) => index);
  return {
    packages: numbers.map((number) => `package-${number}`),
    paths: numbers.map((number) => ({ path: `/etc/file-${number}`, hash: true, entries: number % 2 === 0 })),
    units: [],
    texts: numbers.map((number) => `/etc/text-${number}`),
  };
}

/** Processes that the node starts while `work` goes on, by its kernel's counter of process ids. */
async function processesOf(work: () => Promise<unknown>): Promise<number> {
  const counter = async (): Promise<number> => {
    const { stdout } = await node.exec("read -r _ _ _ _ last </proc/loadavg; echo $last");
    return Number(stdout);
  };
  const empty = (await counter()) - (await counter());
  const before = await counter();
  await work();
  return (await counter()) - before + empty;
}

test("a question costs as much for 200 resources as for one, and one round trip", async () => {
  const exec = vi.spyOn(ssh2.Client.prototype, "exec");
  const target = targetOf(node);
  const costs: number[] = [];
  for (const count of [1, 200]) {
    costs.push(
      await processesOf(async () => expect((await transport.observe(target, questions(count))).kind).toBe("observed")),
    );
  }
  expect(exec).toHaveBeenCalledTimes(2);
  expect(costs[1]).toBe(costs[0]);
});

test("what is asked of every node costs two processes beside the session's shell", async () => {
  const target = targetOf(node, { user: "root", become: "none" });
  await factsOf(transport, target);
  // The account's login shell, which becomes /bin/sh; then flock and cat.
  expect(await processesOf(() => factsOf(transport, target))).toBe(3);
});

test("a change costs the same round trip and a fixed number of processes, and three more for each command", async () => {
  const exec = vi.spyOn(ssh2.Client.prototype, "exec");
  const target = targetOf(node);
  const change = async (steps: number, asked: number): Promise<number> => {
    const facts = await factsOf(transport, target);
    const run = `run-${steps}-${asked}`;
    // `true` is a builtin of the shell that each of these steps starts under timeout.
    const request = requestFor(
      run,
      facts,
      Array.from({ length: steps }, () => commandStep("true")),
    );
    return processesOf(async () => {
      const result = await transport.change(target, { ...request, questions: questions(asked) }, () => {});
      expect(result.kind).toBe("changed");
    });
  };
  const one = await change(1, 1);
  expect(await change(1, 200)).toBe(one);
  const perStep = (await change(2, 1)) - one;
  expect(await change(21, 1)).toBe(one + 20 * perStep);
  // The step's own shell, timeout, and the shell of its line.
  expect(perStep).toBe(3);
  expect(exec).toHaveBeenCalledTimes(8);
});
