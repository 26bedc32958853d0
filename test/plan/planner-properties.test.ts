import fc from "fast-check";
import { expect, it } from "vitest";
import type { ObservedRecord } from "../../src/plan/observed-record.ts";
import { planFleet } from "../../src/plan/planner.ts";
import { stateOf } from "./recorded.ts";
import { NOW, SimulatedFleet } from "./simulated-run.ts";

const SAID = { by: "octocat", at: "2026-11-06" };
const ROLES = ["a", "b", "c"];

const nodeSpec = fc.record({
  class: fc.constantFrom("server", "desktop"),
  os: fc.constantFrom("linux", "linux", "linux", "windows"),
  roles: fc.subarray(ROLES, { minLength: 1 }),
  word: fc.constantFrom("none", "none", "none", "declines", "claims", "disabled", "down", "retired"),
  n: fc.constantFrom("1", "2"),
});
const fleetSpec = fc.record({
  nodes: fc.array(nodeSpec, { minLength: 1, maxLength: 9 }),
  risk: fc.array(fc.constantFrom("risky", "safe"), { minLength: 3, maxLength: 3 }),
  content: fc.constantFrom("x\n", "y {{ node.vars.n }}\n"),
});
type FleetSpec = typeof fleetSpec extends fc.Arbitrary<infer Spec> ? Spec : never;

const WORDS: Readonly<Record<string, object>> = {
  none: {},
  declines: { declines: [{ unit: "role:b", reason: "no", ...SAID }] },
  claims: { claims: [{ unit: "role:a", note: "by hand", ...SAID }] },
  disabled: { enabled: "false" },
  down: { down: { reason: "psu", since: "2026-11-20", by: "octocat" } },
  retired: { state: "retired" },
};

function stateFrom({ nodes, risk, content }: FleetSpec) {
  const roster = nodes.map(
    ({ word, n, ...keys }, index) => [`n-${index}`, { ...keys, vars: { n }, ...WORDS[word] }] as const,
  );
  const resources = (role: string) => [{ type: "file", path: `/etc/${role}`, content, template: "true" }];
  const requires = (role: string) => (role === "b" ? { requires: ["a"] } : {});
  const roles = ROLES.map(
    (role, index) => [role, { resources: resources(role), risk: risk[index], ...requires(role) }] as const,
  );
  // A role may only be required of nodes that have it.
  const whole = roster.map(
    ([name, node]) =>
      [name, node.roles.includes("b") ? { ...node, roles: [...new Set(["a", ...node.roles])] } : node] as const,
  );
  return stateOf(Object.fromEntries(whole), Object.fromEntries(roles));
}

/** Reconciles until one does nothing more. */
function settle(fleet: SimulatedFleet): void {
  for (let before = -1; before !== fleet.attempts.length; ) {
    before = fleet.attempts.length;
    fleet.run();
  }
}

const failing = fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 3 });

it("a round has each of its targets in exactly one wave, and nobody whom it left out", () => {
  fc.assert(
    fc.property(fleetSpec, fleetSpec, failing, (first, second, bad) => {
      const fleet = new SimulatedFleet(stateFrom(first));
      fleet.run({ fails: (_, node) => bad.includes(Number(node.slice(2))) });
      fleet.state = stateFrom(second);
      for (const { next } of fleet.plan().units) {
        if (next.kind !== "start") continue;
        const waves = next.waves.flat();
        expect([...waves].sort()).toEqual(next.targets.map(({ node }) => node).sort());
        expect(new Set(waves).size).toBe(waves.length);
        expect(next.waves.every((wave) => wave.length > 0)).toBe(true);
        expect(next.leftOut.filter(({ node }) => waves.includes(node))).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
});

it("when all is carried out, the plan asks for nothing, and what is applied was attempted once", () => {
  fc.assert(
    fc.property(fleetSpec, (spec) => {
      const fleet = new SimulatedFleet(stateFrom(spec));
      settle(fleet);
      for (const { unit, next, cells } of fleet.plan().units) {
        const applied = cells.some(({ state }) => state === "applied");
        expect([unit.id, next.kind]).toEqual([unit.id, applied || unit.targets.length === 0 ? "nothing" : "nobody"]);
      }
      expect(new Set(fleet.attempts).size).toBe(fleet.attempts.length);
    }),
    { numRuns: 60 },
  );
});

it("interrupted anywhere and gone on with, it comes to the same and does nothing twice", () => {
  fc.assert(
    fc.property(fleetSpec, fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }), (spec, budgets) => {
      const whole = new SimulatedFleet(stateFrom(spec));
      settle(whole);
      const cut = new SimulatedFleet(stateFrom(spec));
      for (const budget of budgets) cut.run({ budget });
      settle(cut);
      expect([...cut.attempts].sort()).toEqual([...whole.attempts].sort());
      expect(cut.plan().units.map(({ cells }) => cells)).toEqual(whole.plan().units.map(({ cells }) => cells));
    }),
    { numRuns: 60 },
  );
});

it("a plan does not depend on the order in which nodes, roles and records stand", () => {
  fc.assert(
    fc.property(fleetSpec, fleetSpec, failing, fc.nat({ max: 8 }), (first, second, bad, budget) => {
      const fleet = new SimulatedFleet(stateFrom(first));
      fleet.run({ fails: (_, node) => bad.includes(Number(node.slice(2))), budget });
      const state = stateFrom(second);
      const turned = { ...state, nodes: [...state.nodes].reverse(), roles: new Map([...state.roles].reverse()) };
      expect(planFleet(turned, reversed(fleet.record), NOW)).toEqual(planFleet(state, fleet.record, NOW));
    }),
    { numRuns: 60 },
  );
});

function reversed(record: ObservedRecord): ObservedRecord {
  const turn = <Value>(map: ReadonlyMap<string, Value>) => new Map([...map].reverse());
  const { states, reports, heartbeats, rollouts } = record;
  return {
    ...record,
    states: turn(states),
    reports: turn(reports),
    heartbeats: turn(heartbeats),
    rollouts: turn(rollouts),
  };
}
