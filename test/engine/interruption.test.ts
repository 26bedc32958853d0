import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Boundary,
  boundariesOf,
  ControllerKilled,
  type Fault,
  type Orphan,
} from "../../src/adapters/memory/faults.ts";
import { type MemoryFleet, MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import type { Step } from "../../src/model/node-effect.ts";
import { portrait } from "../adapters/memory-fixture.ts";
import { desired, type FleetSpec, NODES } from "./generated-fleet.ts";
import { applyUntilKnown, fleetWith, type History, history } from "./history.ts";
import { expectNoRestartLost } from "./restarts.ts";
import { PROPERTY_RUNS, run, runOver } from "./run-in-memory.ts";

const node = NODES[0] ?? "";
const ORPHANS: readonly Orphan[] = ["finishes", "dies", { boundaries: 0 }, { boundaries: 1 }, { boundaries: 4 }];

/** The steps that one apply takes on the first node. */
async function stepsOf(state: DesiredState, fleet: MemoryFleet): Promise<readonly Step[]> {
  let steps: readonly Step[] = [];
  const transport = new MemoryTransport(fleet);
  const change = transport.change.bind(transport);
  transport.change = (target, request, onStep) => {
    if (target.name === node) steps = request.steps;
    return change(target, request, onStep);
  };
  await runOver("apply", state, transport);
  return steps;
}

/** Cuts an apply there, lets a second one come, and compares the end with `expected`. */
async function interruptAt(
  past: History,
  fault: "link-lost" | "controller-killed",
  at: Boundary,
  orphan: Orphan,
): Promise<void> {
  const state = desired(past.after);
  const fleet = await fleetWith(past);
  await applyUntilKnown(state, fleet);
  const faults: Fault[] = [{ node, fault, at, orphan, on: { kind: "change", nth: 0 } }];
  if (fault === "link-lost") {
    const cut = await run("apply", state, fleet, faults);
    expect(cut.outcomes[0]).toBe("unknown");
  } else await expect(run("apply", state, fleet, faults)).rejects.toThrow(ControllerKilled);

  const second = await run("apply", state, fleet);
  expect(second.result.outcomes).toEqual(NODES.map((name) => ({ node: name, outcome: "converged", message: "" })));
  const checked = await run("check", state, fleet);
  expect(checked.result.reports.flatMap((report) => report.items)).toEqual([]);
  for (const one of fleet.values()) expectNoRestartLost(one, past.after);

  expect([...fleet.values()].map(portrait)).toEqual(await uninterrupted(past));
}

const uninterruptedOnce = new WeakMap<History, Promise<unknown[]>>();

/** How the nodes end when nothing interrupts; the same for every place at which something may. */
function uninterrupted(past: History): Promise<unknown[]> {
  const known = uninterruptedOnce.get(past) ?? straightThrough(past);
  uninterruptedOnce.set(past, known);
  return known;
}

async function straightThrough(past: History): Promise<unknown[]> {
  const state = desired(past.after);
  const fleet = await fleetWith(past);
  await applyUntilKnown(state, fleet);
  await run("apply", state, fleet);
  return [...fleet.values()].map(portrait);
}

async function boundariesIn(past: History): Promise<Boundary[]> {
  const state = desired(past.after);
  const fleet = await fleetWith(past);
  await applyUntilKnown(state, fleet);
  const steps = await stepsOf(state, fleet);
  return steps.length === 0 ? [] : boundariesOf(steps);
}

describe("an interrupted apply, and another", () => {
  const file = (text: string) => ({ text, mode: "0644" }) as const;
  const before: FleetSpec = {
    tool: "1.2",
    shared: file("A=one\n"),
    prober: { state: "started", enabled: false, config: file("A=one\n") },
    app: {
      unit: "simple",
      state: "started",
      enabled: false,
      config: file("A=one\n"),
      dropIn: null,
      listens: "reload_on",
    },
  };
  const after: FleetSpec = {
    tool: "1.10",
    shared: file("A=two\n"),
    prober: { state: "started", enabled: true, config: file("A=two\n") },
    app: {
      unit: "simple",
      state: "started",
      enabled: true,
      config: file("A=two\n"),
      dropIn: file("x\n"),
      listens: "reload_on",
    },
  };
  const pasts: readonly [string, History][] = [
    ["new nodes", { before: null, tampering: [], after }],
    ["a change of everything", { before, tampering: [], after }],
  ];

  describe.each(pasts)("%s", (_name, past) => {
    it.each(["link-lost", "controller-killed"] as const)("%s at every boundary", async (fault) => {
      const boundaries = await boundariesIn(past);
      expect(boundaries.length).toBeGreaterThan(15);
      for (const at of boundaries) for (const orphan of ORPHANS) await interruptAt(past, fault, at, orphan);
    });
  });

  it("end as one that nothing interrupted, whatever the history", async () => {
    const fault = fc.constantFrom("link-lost" as const, "controller-killed" as const);
    await fc.assert(
      fc.asyncProperty(history, fault, fc.nat(), fc.constantFrom(...ORPHANS), async (past, kind, place, orphan) => {
        const boundaries = await boundariesIn(past);
        const at = boundaries[place % Math.max(1, boundaries.length)];
        if (at !== undefined) await interruptAt(past, kind, at, orphan);
      }),
      PROPERTY_RUNS,
    );
  });
});
