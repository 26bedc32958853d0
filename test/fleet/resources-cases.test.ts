import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stepsFor } from "../../src/plan/steps.ts";
import { resourceType } from "../../src/resources/index.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { brief, compareRole, questionsOf, REAL_CASE_TYPES, type RealCase, realCases, roleOf } from "./real-case.ts";
import { outcomes, ResourcesClient } from "./resources-client.ts";

let fleet: Fleet;
let node: FleetNode;
let client: ResourcesClient;

beforeAll(async () => {
  fleet = await startFleet({ id: "resources-cases", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  client = new ResourcesClient(node, 20_000);
  // A user's manager without a login: libpam-systemd would name the runtime folder.
  await node.exec(`mkdir -p /etc/systemd/system/user@.service.d
    printf '[Service]\\nEnvironment=XDG_RUNTIME_DIR=/run/user/%%i\\n' >/etc/systemd/system/user@.service.d/fleet.conf
    systemctl daemon-reload; loginctl enable-linger deploy
    until [ -S "/run/user/$(id -u deploy)/systemd/private" ]; do sleep 0.02; done`);
});
afterAll(() => fleet?.stop());

/** check, apply, check again, and the same steps once more: twice is once (host-state §5). */
describe.each(REAL_CASE_TYPES)("%s", (type) => {
  test.each(realCases(type).map((one) => [one.name, one] as const))("%s", (_name, one) => play(one));
});

async function play(one: RealCase): Promise<void> {
  const setup = await node.exec(`set -e\n${one.setup ?? ":"}`);
  expect(setup.code, setup.stderr).toBe(0);
  const role = roleOf(one);
  const questions = questionsOf(role);

  const facts = await client.observe(questions);
  const entries = compareRole(role, facts);
  expect(entries.map(brief)).toEqual(one.before.map(patternOrText));
  for (const [id, observed] of Object.entries(one.observed ?? {})) {
    expect(entries.find(({ item }) => item.resource.id === id)?.item.observed).toEqual(observed);
  }

  const steps = stepsFor(entries, [role], facts);
  const first = await client.change(steps, questions, one.settle ?? 0);
  expect(outcomes(first.steps)).toEqual(one.acted ?? steps.map(() => "done"));
  expect(compareRole(role, first.facts).map(brief)).toEqual((one.after ?? []).map(patternOrText));
  await hold(one);

  if (steps.length === 0 || one.acted !== undefined) return;
  const again = await client.change(steps, questions, one.settle ?? 0);
  expect(outcomes(again.steps)).toEqual(steps.map(() => "done"));
  for (const resource of role.resources) {
    const { observe } = resourceType(resource.record.type);
    expect(observe(resource, again.facts), resource.record.id).toEqual(observe(resource, first.facts));
  }
  await hold(one);
}

async function hold(one: RealCase): Promise<void> {
  for (const [command, printed] of Object.entries(one.holds ?? {})) {
    expect((await node.exec(command)).stdout, command).toBe(printed);
  }
}

/** `/^…/` is a pattern, for what no two looks see alike. */
function patternOrText(expected: string): unknown {
  return /^\/.*\/$/.test(expected) ? expect.stringMatching(new RegExp(expected.slice(1, -1))) : expected;
}
