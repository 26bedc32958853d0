import ssh2 from "ssh2";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { applyFleet, checkFleet, fleetWorks } from "./loop-run.ts";
import { openTransport } from "./ssh-trial.ts";

let fleet: Fleet;
let node: FleetNode;
let transport: Transport;

beforeAll(async () => {
  fleet = await startFleet({ id: "loop-cost", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  transport = await openTransport(fleet);
});
afterAll(async () => {
  await transport?.close();
  await fleet?.stop();
});
afterEach(() => void vi.restoreAllMocks());

/** So many of each type, all as declared once it has been applied. */
function sized(count: number): string {
  const numbers = Array.from({ length: count }, (_all, index) => index);
  const resources = [
    { type: "directory", path: "/srv/sized" },
    ...numbers.flatMap((number) => [
      { type: "package", name: `absent-${number}`, state: "absent" },
      { type: "directory", path: `/srv/sized/${number}` },
      { type: "directory", path: `/srv/sized/${number}/gone`, state: "absent" },
      { type: "file", path: `/srv/sized/${number}/f`, content: "x" },
      { type: "env", path: `/srv/sized/${number}/env`, vars: { A: String(number) } },
      { type: "command", creates: `/srv/sized/${number}/ran`, run: `echo >/srv/sized/${number}/ran` },
      { type: "systemd_unit", name: `absent-${number}.service`, state: "stopped" },
    ]),
    { type: "systemd_unit", name: "ssh.service", state: "started" },
  ];
  const lines = resources.map((resource) => `  - ${JSON.stringify(resource)}\n`);
  return `role: sized\nversion: 1\ndescription: So many of each type.\nresources:\n${lines.join("")}`;
}

test("round trips and processes are as many for 400 resources as for ten, of all types", async () => {
  const exec = vi.spyOn(ssh2.Client.prototype, "exec");
  const costs: number[] = [];
  for (const count of [1, 60]) {
    const works = fleetWorks([node], { sized: sized(count) });
    const trips = async (work: () => Promise<unknown>): Promise<number> => {
      exec.mockClear();
      await work();
      return exec.mock.calls.length;
    };
    expect(await trips(() => applyFleet(works, transport)), "observe, then change and observe").toBe(2);
    const looks: number[] = [];
    for (let time = 0; time < 5; time++) {
      const before = await lastProcess();
      const check = () => checkFleet(works, transport);
      expect(await trips(async () => expect(await check()).toMatchObject({ reports: [{ items: [] }] }))).toBe(1);
      looks.push((await lastProcess()) - before);
    }
    // Others start processes on such a node too, now and then.
    costs.push(Math.min(...looks));
  }
  expect(costs[1]).toBe(costs[0]);
});

const lastProcess = async (): Promise<number> =>
  Number((await node.exec("read -r _ _ _ _ last </proc/loadavg; echo $last")).stdout);
