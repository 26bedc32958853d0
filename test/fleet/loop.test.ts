import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeWork } from "../../src/engine/node-work.ts";
import type { Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { applyFleet, BASE_ROLE, checkFleet, fleetWorks, GYRUM_PROBER, itemLines } from "./loop-run.ts";
import { compareSnapshots, snapshot } from "./snapshot.ts";
import { openTransport } from "./ssh-trial.ts";

let fleet: Fleet;
let node: FleetNode;
let transport: Transport;
let works: NodeWork[];

beforeAll(async () => {
  fleet = await startFleet({ id: "loop", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  transport = await openTransport(fleet);
  works = fleetWorks([node], { host: BASE_ROLE, "gyrum-prober": GYRUM_PROBER });
});
afterAll(async () => {
  await transport?.close();
  await fleet?.stop();
});

describe("the worked example of host-state §7, in order", () => {
  test("the base role converges first", async () => {
    const base = fleetWorks([node], { host: BASE_ROLE });
    const { outcomes } = await applyFleet(base, transport);
    expect(outcomes).toEqual([{ node: node.name, outcome: "converged", message: "" }]);
  });

  test("a check finds exactly the source's four items, and changes nothing on the node", async () => {
    const before = await snapshot(node);
    const { reports, outcomes } = await checkFleet(works, transport);
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
    expect(outcomes).toMatchObject([{ outcome: "drift" }]);
    expect(itemLines(reports[0]?.items ?? [])).toEqual([
      "gyrum-prober install package:gyrum-prober",
      "gyrum-prober install directory:/etc/gyrum",
      "gyrum-prober write file:/etc/gyrum/prober.yaml",
      "gyrum-prober start systemd_unit:gyrum-prober.service",
    ]);
    expect(reports[0]?.items.at(-1)?.action_to_apply.params).toMatchObject({ enable: true });
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    const schema = new URL("../../schemas/drift-item.v1.json", import.meta.url);
    const valid = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));
    for (const item of reports[0]?.items ?? [])
      expect(valid(JSON.parse(JSON.stringify(item))), ajv.errorsText(valid.errors)).toBe(true);
  });

  test("apply executes them and reads an empty second report", async () => {
    const { reports, outcomes } = await applyFleet(works, transport);
    expect(outcomes).toEqual([{ node: node.name, outcome: "converged", message: "" }]);
    expect(reports.map(({ stage, items }) => [stage, items.length])).toEqual([
      ["before", 4],
      ["after", 0],
    ]);
    const said = await node.exec(
      "systemctl is-active gyrum-prober; systemctl is-enabled gyrum-prober; stat -c '%a %U %G' /etc/gyrum/prober.yaml",
    );
    expect(said.stdout).toBe("active\nenabled\n640 root gyrum\n");
  });

  test("the next check gives none, and applying again changes nothing", async () => {
    const before = await snapshot(node);
    expect(await checkFleet(works, transport)).toMatchObject({
      reports: [{ items: [] }],
      outcomes: [{ outcome: "converged" }],
    });
    expect(await applyFleet(works, transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
  });

  test("a tampered node is found and healed", async () => {
    await node.exec("echo tampered >/etc/gyrum/prober.yaml; chmod 0700 /etc/gyrum; systemctl stop gyrum-prober");
    const { reports } = await checkFleet(works, transport);
    expect(itemLines(reports[0]?.items ?? [])).toEqual([
      "gyrum-prober chmod directory:/etc/gyrum",
      "gyrum-prober write file:/etc/gyrum/prober.yaml",
      "gyrum-prober start systemd_unit:gyrum-prober.service",
    ]);
    expect(await applyFleet(works, transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
  });
});
