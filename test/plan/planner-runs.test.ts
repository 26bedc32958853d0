import { describe, expect, it } from "vitest";
import { planFleet } from "../../src/plan/planner.ts";
import { edge, fleet, node, three } from "./edge-fleet.ts";
import { NO_RECORD, stateOf } from "./recorded.ts";
import { NOW } from "./simulated-run.ts";

describe("units in one run", () => {
  const roles = {
    a: edge.edge,
    b: { requires: ["a"], resources: [] },
    c: { requires: ["b"], resources: [] },
    d: { resources: [] },
  };

  it("wait for a stopped one with which they share a node, and for what waits that they require", () => {
    const nodes = {
      "web-01": { roles: ["a", "b", "d"] },
      "web-02": { roles: ["a", "b", "c"] },
      "db-01": { roles: ["d"] },
    };
    const one = fleet(nodes, { ...roles, c: { requires: ["b"], resources: [] } });
    one.run({ fails: (unit) => unit === "role:a" });
    const shared = ["web-01", "web-02"];
    expect(one.next("role:b")).toEqual({ kind: "waiting", on: ["role:a"], nodes: shared });
    expect(one.next("role:c")).toEqual({ kind: "waiting", on: ["role:a", "role:b"], nodes: ["web-02"] });
    expect(one.next("role:d")).toEqual({ kind: "waiting", on: ["role:a"], nodes: ["web-01"] });
  });

  it("do not wait for one that shares no node", () => {
    const one = fleet({ "web-01": { roles: ["a"] }, "db-01": { roles: ["d"] } }, { a: roles.a, d: roles.d });
    one.run({ fails: (unit) => unit === "role:a" });
    expect(one.next("role:d")).toEqual({ kind: "nothing" });
  });

  it("that are only observed are never acted on", () => {
    const one = fleet(three, { edge: { ...edge.edge, mode: "observe" } });
    one.run();
    expect([one.next("role:edge"), one.attempts]).toEqual([{ kind: "observe" }, []]);
  });

  it("that were not asked for are not in the plan, and still keep others back", () => {
    const one = fleet({ "web-01": { roles: ["a", "d"] } }, { a: roles.a, d: roles.d });
    one.run({ fails: (unit) => unit === "role:a" });
    const { units } = one.plan({ heal: true, units: new Set(["role:d"]) });
    expect(units.map(({ unit, next }) => [unit.id, next.kind])).toEqual([["role:d", "waiting"]]);
  });
});

describe("nodes that were asked for", () => {
  const asked = (...nodes: string[]) => ({ heal: true, nodes: new Set(nodes) });

  it("are refused before their wave, with the canary's name", () => {
    const { next, asked: answer } = fleet(three).planOf("role:edge", asked("web-02"));
    expect(next).toEqual({ kind: "nothing" });
    expect(answer).toEqual({
      attempt: [],
      refused: [
        {
          node: "web-02",
          wave: 2,
          why: "it is in wave 3 of 3, and wave 1 is not through: the canary web-01 must prove it first",
        },
      ],
    });
  });

  it("may be attempted when they are the canary, in the waves of all", () => {
    const one = fleet(three);
    const { next, asked: answer } = one.planOf("role:edge", asked("web-01", "web-02"));
    expect(next).toMatchObject({ kind: "start", waves: [["web-01"], ["desk-01"], ["web-02"]] });
    expect(answer).toMatchObject({ attempt: ["web-01"], refused: [{ node: "web-02", wave: 2 }] });
    one.run({ options: asked("web-01") });
    expect(one.planOf("role:edge", asked("desk-01"))).toMatchObject({
      next: { kind: "continue" },
      asked: { attempt: ["desk-01"] },
    });
    expect(one.planOf("role:edge", asked("web-02")).asked?.refused[0]?.why).toContain(
      "wave 2 is not through: desk-01 must",
    );
    one.run();
    expect(one.attempts).toEqual(["role:edge web-01", "role:edge desk-01", "role:edge web-02"]);
  });

  it("that came after the waves were formed are told so", () => {
    const one = fleet(three);
    one.run({ budget: 1 });
    one.state = stateOf({ ...three, "web-09": node() }, edge);
    expect(one.planOf("role:edge", asked("web-09"))).toMatchObject({
      next: { kind: "nothing" },
      asked: { attempt: [], refused: [{ node: "web-09", wave: null }] },
    });
  });

  it("that are in already are neither attempted nor refused", () => {
    const one = fleet(three);
    one.run();
    expect(one.planOf("role:edge", asked("web-01"))).toMatchObject({
      next: { kind: "nothing" },
      asked: { attempt: [], refused: [] },
    });
  });
});

it("a log that lies in the place of another one says nothing", () => {
  const one = fleet(three);
  one.run({ budget: 1 });
  const [log] = [...one.record.rollouts.values()];
  const record = { ...one.record, rollouts: new Map([[`role:edge@${"0".repeat(12)}`, log ?? []]]) };
  expect(planFleet(one.state, record, NOW).units[0]).toMatchObject({ rollout: null, supersedes: [] });
});

/** How often the record is asked while a fleet of so many nodes with five roles is planned. */
function questions(count: number): number {
  const names = Array.from({ length: count }, (_, index) => `web-${String(index).padStart(5, "0")}`);
  const path = (role: string) => ({ resources: [{ type: "file", path: `/${role}`, content: "x" }] });
  const roles = Object.fromEntries(["a", "b", "c", "d", "e"].map((role) => [role, path(role)]));
  const state = stateOf(Object.fromEntries(names.map((name) => [name, { roles: Object.keys(roles) }])), roles);
  let asked = 0;
  class Counted<Value> extends Map<string, Value> {
    override get(name: string): Value | undefined {
      asked += 1;
      return super.get(name);
    }
  }
  const record = {
    ...NO_RECORD,
    states: new Counted<never>(),
    reports: new Counted<never>(),
    heartbeats: new Counted<never>(),
  };
  const plan = planFleet(state, record, NOW);
  expect(plan.units.map(({ next }) => next.kind)).toEqual(["start", "start", "start", "start", "start"]);
  return asked;
}

it("10,000 nodes with five roles cost ten times what 1,000 do", { timeout: 60_000 }, () => {
  const thousand = questions(1000);
  expect(questions(10_000)).toBe(10 * thousand);
});
