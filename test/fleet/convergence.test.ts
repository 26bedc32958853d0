import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DriftItem } from "../../src/model/drift-item.ts";
import type { Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { applyFleet, checkFleet, fleetWorks } from "./loop-run.ts";
import { type Drift, drifts } from "./random-drift.ts";
import { type Manifest, manifest } from "./random-manifest.ts";
import { openTransport } from "./ssh-trial.ts";

/**
 * Whatever was declared before and whatever happened since, one apply makes a node as declared (host-state §5). A failure
 * prints its seed; with ROLLCALL_CONVERGENCE_SEED the same histories are played again. CI plays the same ones each time, so
 * that red there means a change of ours; everywhere else each run plays new ones.
 */
const FRESH = process.env.CI === "true" ? 776_619_129 : Date.now() & 0x7fffffff;
const SEED = Number(process.env.ROLLCALL_CONVERGENCE_SEED ?? FRESH);
const ROUNDS = Number(process.env.ROLLCALL_CONVERGENCE_ROUNDS ?? 6);

let fleet: Fleet;
let transport: Transport;

beforeAll(async () => {
  fleet = await startFleet({ id: "convergence", nodes: 2 });
  transport = await openTransport(fleet);
});
afterAll(async () => {
  await transport?.close();
  await fleet?.stop();
});

test(
  `random manifests over random drift converge in one apply, seed ${SEED}`,
  { timeout: 60_000 + ROUNDS * 30_000 },
  () =>
    Promise.all(
      fleet.nodes.map(async (node, index) => {
        const rounds = fc.sample(fc.tuple(manifest, drifts), { seed: SEED + index, numRuns: ROUNDS });
        const trail: string[] = [];
        for (const [roles, happened] of rounds) await round(node, roles, happened, trail);
      }),
    ),
);

async function round(node: FleetNode, roles: Manifest, happened: readonly Drift[], trail: string[]): Promise<void> {
  const works = fleetWorks([node], roles);
  await node.exec(happened.map(({ run }) => run).join("\n"));
  trail.push(`--- drift\n${happened.map(({ run }) => run).join("\n")}\n--- declared\n${shortly(roles)}`);
  const hinders = new Set(happened.flatMap((one) => one.hinders));
  const first = await applyFleet(works, transport);
  if (hinders.size > 0) {
    const unexpected = withoutHindered(first.reports.at(-1)?.items ?? [], hinders);
    expect(unexpected.map(line), tell(node, trail, first.outcomes)).toEqual([]);
    await node.exec(happened.map(({ undo }) => undo).join("\n"));
    expectConverged(await applyFleet(works, transport), node, trail);
  } else expectConverged(first, node, trail);
  const again = await checkFleet(works, transport);
  expect(differing(again.reports.at(-1)?.items ?? []), tell(node, trail, again.outcomes)).toEqual([]);
}

function expectConverged(result: Awaited<ReturnType<typeof applyFleet>>, node: FleetNode, trail: string[]): void {
  const { reports, outcomes } = result;
  const told = tell(node, trail, [...outcomes, (reports[0]?.items ?? []).map(line)]);
  expect(differing(reports.at(-1)?.items ?? []), told).toEqual([]);
  expect(outcomes, told).toEqual([{ node: node.name, outcome: "converged", message: "" }]);
}

/** The note that a command is not idempotent stays for ever. */
function differing(items: readonly DriftItem[]): string[] {
  return items.filter(({ severity }) => severity !== "warn").map(line);
}

/** Each role requires the one before it, and waits for it (DESIGN §3.2: blocked). */
const ORDER = ["host", "app", "web"];

/** Without the obstacles that the drift put there, and what waits for a role that has one. */
function withoutHindered(items: readonly DriftItem[], hinders: ReadonlySet<string>): readonly DriftItem[] {
  const isHindered = ({ severity, action_to_apply }: DriftItem): boolean => {
    const reasons = action_to_apply.params?.reasons as readonly string[];
    return severity === "error" && reasons.some((reason) => hinders.has(reason));
  };
  const first = Math.min(...items.filter(isHindered).map(({ role }) => ORDER.indexOf(role)));
  return items.filter((item) => item.severity !== "warn" && !isHindered(item) && ORDER.indexOf(item.role) <= first);
}

function line({ resource, severity, action_to_apply }: DriftItem): string {
  return `${resource.id}: ${severity} ${action_to_apply.verb} ${String(action_to_apply.params?.reasons)}`;
}

const shortly = (roles: Manifest): string =>
  Object.values(roles)
    .flatMap((text) => text.split("\n").filter((each) => /^(role| {2}-)/.test(each)))
    .join("\n");

function tell(node: FleetNode, trail: readonly string[], answers: unknown): string {
  return `seed ${SEED}, ${node.name}, round ${trail.length}\n${trail.slice(-2).join("\n")}\n--- answered\n${JSON.stringify(answers, null, 1)}\n`;
}
