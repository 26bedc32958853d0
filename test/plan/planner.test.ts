import { describe, expect, it } from "vitest";
import { edge, fleet, node, three } from "./edge-fleet.ts";
import { heartbeat, item, report, stateOf } from "./recorded.ts";

const HEAL = { heal: true };
const changedEdge = { edge: { resources: [{ type: "file", path: "/etc/edge", content: "two\n" }] } };

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

  it("take nodes that joined in waves where nobody holds the proof any more", () => {
    const one = fleet(three);
    one.run();
    one.state = stateOf({}, edge);
    one.run();
    one.state = stateOf({ "web-05": node(), "web-06": node() }, edge);
    expect(one.next("role:edge")).toMatchObject({ strategy: "waves", waves: [["web-05"], ["web-06"]] });
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

  it("heal of what several lost only the nodes that were asked for", () => {
    const one = fleet(three);
    one.run();
    const digest = one.planOf("role:edge").unit.targets[0]?.digest ?? "";
    const lost = ["web-01", "web-02"].map(
      (name) =>
        [name, report({ node: name, digests: { "role:edge": digest }, items: [item({ host: name })] })] as const,
    );
    one.record = { ...one.record, reports: new Map(lost) };
    expect(one.next("role:edge", HEAL)).toMatchObject({ waves: [["web-01", "web-02"]] });
    expect(one.planOf("role:edge", { heal: true, nodes: new Set(["web-02"]) })).toMatchObject({
      next: { because: "heal", waves: [["web-02"]] },
      asked: { attempt: ["web-02"], refused: [] },
    });
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
