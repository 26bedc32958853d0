import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeWork } from "../../src/engine/node-work.ts";
import type { ChangeRequest, Step } from "../../src/model/node-effect.ts";
import type { Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { applyFleet, checkFleet, fleetWorks } from "./loop-run.ts";
import { openTransport } from "./ssh-trial.ts";

/**
 * A run that is killed between any two actions: the next apply converges, and no restart is lost. The service writes down
 * what it was started with, so that a node whose files are as declared and whose service still runs with the old ones shows.
 */
let fleet: Fleet;
let node: FleetNode;
let transport: Transport;

beforeAll(async () => {
  fleet = await startFleet({ id: "cut-off", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  transport = await openTransport(fleet);
});
afterAll(async () => {
  await transport?.close();
  await fleet?.stop();
});

function works(version: number): NodeWork[] {
  return fleetWorks([node], {
    teller: `role: teller
version: ${version}
description: A service that tells what it was started with.
resources:
  - { type: package, name: demo-tool, version: "${version % 2 === 0 ? "1.2" : "1.10"}" }
  - { type: directory, path: /etc/teller, mode: "0750" }
  - { type: file, path: /etc/teller/conf, content: "conf ${version}\\n" }
  - { type: file, path: /etc/teller/env, content: "WORD=env${version}\\n" }
  - type: file
    path: /etc/systemd/system/teller.service
    content: |
      [Service]
      EnvironmentFile=/etc/teller/env
      ExecStart=/bin/sh -c 'echo unit${version} "$WORD" >/run/teller; cat /etc/teller/conf >>/run/teller; exec sleep infinity'
      [Install]
      WantedBy=multi-user.target
  - type: systemd_unit
    name: teller.service
    state: started
    enabled: true
    unit_file: /etc/systemd/system/teller.service
    restart_on: ["file:/etc/teller/conf"]
`,
  });
}

/** Lets the first `count` effects through and then is gone, like a controller that is killed and a node that loses power. */
function cutAfter(count: number): { transport: Transport; effects: () => number } {
  let seen = 0;
  const cut: Transport = {
    observe: (target, questions) => transport.observe(target, questions),
    change: async (target, request, onStep) => {
      seen = request.steps.flatMap((step) => step.effects).length;
      await transport.change(target, { ...request, steps: firstEffects(request, count) }, onStep);
      return { kind: "failure", outcome: "unknown", message: "the test cut it off" };
    },
    close: async () => {},
  };
  return { transport: cut, effects: () => seen };
}

function firstEffects(request: ChangeRequest, count: number): Step[] {
  let left = count;
  return request.steps.flatMap((step) => {
    const effects = step.effects.slice(0, left);
    left -= effects.length;
    return effects.length === 0 ? [] : [{ ...step, effects }];
  });
}

async function expectRunning(version: number): Promise<void> {
  expect((await node.exec("cat /run/teller")).stdout).toBe(`unit${version} env${version}\nconf ${version}\n`);
  expect((await node.exec("ls -A /var/lib/rollcall/pending 2>/dev/null")).stdout).toBe("");
  const { reports } = await checkFleet(works(version), transport);
  expect(reports[0]?.items).toEqual([]);
}

describe("killed between two actions", () => {
  test("at every boundary of a change of package, files, unit file and service", { timeout: 240_000 }, async () => {
    expect(await applyFleet(works(1), transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    await expectRunning(1);
    let version = 1;
    let boundaries = 1;
    for (let count = 0; count <= boundaries; count++) {
      version++;
      const cut = cutAfter(count);
      await applyFleet(works(version), cut.transport);
      boundaries = cut.effects();
      const { outcomes } = await applyFleet(works(version), transport);
      expect({ count, outcomes }).toMatchObject({ outcomes: [{ outcome: "converged" }] });
      await expectRunning(version);
    }
    expect(boundaries).toBeGreaterThan(8);
  });
});
