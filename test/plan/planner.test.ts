import { describe, expect, it } from "vitest";
import { planFleet } from "../../src/plan/planner.ts";
import { heartbeat, item, NO_RECORD, report, stateOf } from "./recorded.ts";
import { NOW, SimulatedFleet } from "./simulated-run.ts";

const HEAL = { heal: true };
const edge = { edge: { resources: [{ type: "file", path: "/etc/edge", content: "one\n" }] } };
const changedEdge = { edge: { resources: [{ type: "file", path: "/etc/edge", content: "two\n" }] } };
const node = (more: object = {}) => ({ roles: ["edge"], ...more });
const three = { "web-01": node(), "web-02": node(), "desk-01": node({ class: "desktop" }) };

const fleet = (nodes: Readonly<Record<string, object>>, roles: Readonly<Record<string, object>> = edge, more = {}) =>
  new SimulatedFleet(stateOf(nodes, roles, more));

describe("a unit's first round", () => {
  it("has all nodes in waves, by its strategy", () => {
    expect(fleet(three).next("role:edge")).toMatchObject({
      kind: "start",
      round: 1,
      because: "first",
      strategy: "waves",
      waves: [["web-01"], ["desk-01"], ["web-02"]],
      leftOut: [],
    });
  });

  it("has one wave when its author says that it is safe", () => {
    const safe = { edge: { ...edge.edge, risk: "safe" } };
    expect(fleet(three, safe).next("role:edge")).toMatchObject({
      strategy: "safe",
      waves: [["desk-01", "web-01", "web-02"]],
    });
  });

  it("leaves out who declines, is claimed, disabled or of an OS that cannot be acted on, each with its reason", () => {
    const said = { unit: "role:edge", by: "octocat", at: "2026-11-01" };
    const nodes = {
      "a-01": node(),
      "b-01": node({ declines: [{ ...said, reason: "not here" }] }),
      "c-01": node({ claims: [{ ...said, note: "by hand" }] }),
      "d-01": node({ enabled: "false" }),
      "e-01": node({ os: "windows" }),
      "f-01": node({ state: "retired" }),
    };
    const next = fleet(nodes).next("role:edge");
    expect(next).toMatchObject({ kind: "start", waves: [["a-01"]] });
    expect(next.kind === "start" && next.leftOut).toEqual([
      { node: "b-01", reason: "declined", detail: '"not here" (octocat)' },
      { node: "c-01", reason: "claimed", detail: '"by hand" (octocat)' },
      { node: "d-01", reason: "disabled", detail: expect.any(String) },
      { node: "e-01", reason: "unsupported-os", detail: expect.any(String) },
    ]);
  });

  it("puts a node with a live down verdict last, and one whose verdict ran out among the others", () => {
    const down = (since: string) => ({ down: { reason: "psu dead", by: "octocat", since } });
    const nodes = { "web-01": node(down("2026-11-20")), "web-02": node(down("2026-08-01")), "web-03": node() };
    expect(fleet(nodes).next("role:edge")).toMatchObject({ waves: [["web-02"], ["web-03", "web-01"]] });
  });
});

describe("nobody", () => {
  const said = { unit: "role:edge", by: "octocat", at: "2026-11-01" };
  it.each([
    ["all decline", { declines: [{ ...said, reason: "no" }] }, "2 declined"],
    ["all are claimed", { claims: [{ ...said, note: "yes" }] }, "2 claimed"],
    ["all are disabled", { enabled: "false" }, "2 disabled"],
    ["all are down", { down: { reason: "psu", by: "octocat", since: "2026-11-29" } }, "2 down"],
  ])("is what a unit comes to when %s, and not nothing", (_what, more, words) => {
    const next = fleet({ "web-01": node(more), "web-02": node(more) }).next("role:edge");
    expect(next).toEqual({ kind: "nobody", detail: `nobody has it and nobody can be attempted: ${words}` });
  });

  it("keeps no other unit back", () => {
    const two = { a: edge.edge, b: { resources: [] } };
    const own = { roles: ["a", "b"], declines: [{ unit: "role:a", reason: "no", by: "octocat", at: "2026-11-01" }] };
    const one = fleet({ "web-01": own }, two);
    expect([one.next("role:a").kind, one.next("role:b").kind]).toEqual(["nobody", "start"]);
  });
});

describe("a rollout", () => {
  it("is done with when all proved it, and its plan is nothing then", () => {
    const one = fleet(three);
    one.run();
    expect(one.plan().units.map(({ next }) => next)).toEqual([{ kind: "nothing" }]);
    expect(one.rollout("role:edge").state).toBe("completed");
    expect(one.attempts).toEqual(["role:edge web-01", "role:edge desk-01", "role:edge web-02"]);
  });

  it("is gone on with when its run ended in the middle, and repeats nobody", () => {
    const one = fleet(three);
    one.run({ budget: 1 });
    expect(one.next("role:edge")).toEqual({ kind: "continue" });
    one.run();
    expect(one.attempts).toEqual(["role:edge web-01", "role:edge desk-01", "role:edge web-02"]);
  });

  it("stands still when its canary fails, until somebody says otherwise", () => {
    const one = fleet(three);
    one.run({ fails: (_, name) => name === "web-01" });
    const before = one.attempts.length;
    one.run();
    expect(one.attempts).toHaveLength(before);
    const hint = "rollcall rollout retry role:edge";
    expect(one.next("role:edge")).toMatchObject({ kind: "stopped", state: "paused", hint });
    one.signal("role:edge", { signal: "retry" });
    one.run();
    expect(one.next("role:edge")).toEqual({ kind: "nothing" });
  });

  it.each([
    ["pause", "paused", "rollcall rollout resume role:edge"],
    ["cancel", "canceled", "rollcall rollout start role:edge"],
  ] as const)("that was told to %s says how it goes on", (signal, state, hint) => {
    const one = fleet(three);
    one.run({ budget: 1 });
    one.signal("role:edge", { signal });
    expect(one.next("role:edge")).toMatchObject({ kind: "stopped", state, hint });
  });

  it("is begun anew when somebody asks for it, with those who were skipped by hand", () => {
    const one = fleet(three);
    one.run({ budget: 1 });
    one.signal("role:edge", { signal: "skip", nodes: ["web-02"], reason: "later" });
    one.run();
    expect([one.rollout("role:edge").state, one.next("role:edge")]).toEqual(["completed", { kind: "nothing" }]);
    one.tell("role:edge", { event: "start-requested", reason: null });
    expect(one.next("role:edge")).toMatchObject({ kind: "start", because: "restarted", round: 2, waves: [["web-02"]] });
  });

  it("that failed in its last wave is over for a unit whose missing node was declined since", () => {
    const one = fleet(three);
    one.run({ fails: (_, name) => name === "web-02" });
    expect(one.next("role:edge")).toMatchObject({ kind: "stopped", state: "failed" });
    const declines = [{ unit: "role:edge", reason: "no", by: "octocat", at: "2026-11-30" }];
    one.state = stateOf({ ...three, "web-02": node({ declines }) }, edge);
    expect(one.next("role:edge")).toEqual({ kind: "nothing" });
  });

  it("ends what is under way of another digest", () => {
    const one = fleet(three);
    one.run({ budget: 1 });
    const { id } = one.rollout("role:edge");
    one.state = stateOf(three, changedEdge);
    expect(one.planOf("role:edge").supersedes).toEqual([{ id, state: "running" }]);
    one.run();
    expect(one.planOf("role:edge")).toMatchObject({ next: { kind: "nothing" }, supersedes: [] });
    one.state = stateOf(three, edge);
    expect(one.next("role:edge")).toMatchObject({ kind: "start", because: "changed", round: 2, strategy: "waves" });
  });

  it("under way begins anew, canary first, when a node still to come is to be something else by now", () => {
    const templated = {
      edge: { resources: [{ type: "file", path: "/e", content: "{{ node.vars.n }}\n", template: "true" }] },
    };
    const nodes = (n: string) => ({ "web-01": node({ vars: { n: "1" } }), "web-02": node({ vars: { n } }) });
    const one = fleet(nodes("1"), templated);
    one.run({ budget: 1 });
    one.state = stateOf(nodes("2"), templated);
    const { id } = one.rollout("role:edge");
    expect(one.planOf("role:edge")).toMatchObject({ next: { kind: "start", round: 2 }, supersedes: [{ id }] });
    one.run();
    expect(one.next("role:edge")).toEqual({ kind: "nothing" });
  });
});

describe("later rounds", () => {
  const templated = {
    edge: { resources: [{ type: "file", path: "/e", content: "{{ node.vars.n }}\n", template: "true" }] },
  };
  const many = (n: string, names = ["web-01", "web-02", "web-03"]) =>
    Object.fromEntries(names.map((name) => [name, node({ vars: { n } })]));

  it("take nodes that joined in one wave", () => {
    const one = fleet(three);
    one.run();
    one.state = stateOf({ ...three, "web-03": node(), "web-04": node() }, edge);
    expect(one.next("role:edge")).toMatchObject({ because: "joined", strategy: "safe", waves: [["web-03", "web-04"]] });
  });

  it("give nodes whose variables changed the full strategy", () => {
    const one = fleet(many("1"), templated);
    one.run();
    one.state = stateOf(many("2"), templated);
    expect(one.next("role:edge")).toMatchObject({ because: "changed", waves: [["web-01"], ["web-02", "web-03"]] });
  });

  it("give nodes that are to let go of it the full strategy, and end with them", () => {
    const one = fleet(three);
    one.run();
    one.state = stateOf({ "web-01": {}, "web-02": {}, "desk-01": node({ class: "desktop" }) }, edge);
    const next = one.next("role:edge");
    expect(next).toMatchObject({ because: "leaving", strategy: "waves", waves: [["web-01"], ["web-02"]] });
    one.run();
    expect(one.planOf("role:edge")).toMatchObject({
      next: { kind: "nothing" },
      cells: [{ node: "desk-01", state: "applied" }],
    });
  });

  it("heal what an audit found gone only where they are told to", () => {
    const one = fleet(three);
    one.run();
    const { unit } = one.planOf("role:edge");
    const digests = { "role:edge": unit.targets[2]?.digest ?? "" };
    const lost = report({ node: "web-02", digests, items: [item({ host: "web-02" })] });
    one.record = {
      ...one.record,
      reports: new Map([["web-02", lost]]),
      heartbeats: new Map([["web-02", heartbeat()]]),
    };
    expect(one.next("role:edge")).toEqual({ kind: "nothing" });
    expect(one.next("role:edge", HEAL)).toMatchObject({ because: "heal", strategy: "safe", waves: [["web-02"]] });
    expect(one.next("role:edge", { heal: true, nodes: new Set(["web-01"]) })).toEqual({ kind: "nothing" });
  });

  it("prove it again where another machine stands, without being told to heal", () => {
    const one = fleet(three);
    one.run();
    const other = report({ node: "web-02", machine_id: "b".repeat(64), digests: {} });
    one.record = {
      ...one.record,
      reports: new Map([["web-02", other]]),
      heartbeats: new Map([["web-02", heartbeat()]]),
    };
    expect(one.next("role:edge")).toMatchObject({ because: "heal", waves: [["web-02"]] });
  });
});

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
