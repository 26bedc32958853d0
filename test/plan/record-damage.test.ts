import { describe, expect, it } from "vitest";
import { FLEET_RECORD, nodeStatePath, segmentPath } from "../../src/model/observed-layout.ts";
import { boardOf } from "../../src/plan/board.ts";
import type { Cell } from "../../src/plan/cell.ts";
import { planFleet } from "../../src/plan/planner.ts";
import { damageHint, fenceDamage } from "../../src/plan/record-damage.ts";
import { edge, fleet, node, three } from "./edge-fleet.ts";
import { item, report, stateOf } from "./recorded.ts";
import { NOW, SimulatedFleet } from "./simulated-run.ts";

const SAID = "line 3: it is not JSON";

function damagedLog(one: SimulatedFleet) {
  const { digest } = one.planOf("role:edge").unit;
  const path = segmentPath("role:edge", digest, "run-1");
  one.record = { ...one.record, damaged: [{ path, message: SAID }] };
  return path;
}

describe("a damaged log of a rollout", () => {
  it("stops it with its reason and where to look, and nothing of it is superseded", () => {
    const one = fleet(three);
    one.record = { ...one.record, heartbeats: new Map(Object.keys(three).map((name) => [name, BEAT])) };
    one.run({ budget: 1 });
    expect(one.next("role:edge")).toEqual({ kind: "continue" });
    const path = damagedLog(one);
    expect(one.next("role:edge")).toEqual({
      kind: "stopped",
      state: "running",
      detail: `its log is damaged: ${path} ${SAID}; mend it on observed, or merge another change of it`,
      hint: `git log -p observed -- ${path}`,
    });
    const plan = one.planOf("role:edge");
    expect(plan.supersedes).toEqual([]);
    const pending = plan.cells.filter(({ state }) => state === "pending") as Extract<Cell, { state: "pending" }>[];
    expect(pending.map(({ reason, hint }) => [reason, hint])).toEqual([
      ["paused", `git log -p observed -- ${path}`],
      ["paused", `git log -p observed -- ${path}`],
    ]);
  });

  it("tells nobody to resume what is paused, since the next run would stop again", () => {
    const one = fleet(three);
    one.run({ fails: (_, name) => name === "web-01" });
    const path = damagedLog(one);
    expect(one.next("role:edge")).toMatchObject({ kind: "stopped", hint: `git log -p observed -- ${path}` });
  });

  it("matters neither where all is proved nor to the rollout of another digest", () => {
    const one = fleet(three);
    one.run();
    damagedLog(one);
    expect(one.next("role:edge")).toEqual({ kind: "nothing" });
    one.state = stateOf(three, { edge: { resources: [{ type: "file", path: "/etc/edge", content: "two\n" }] } });
    expect(one.next("role:edge")).toMatchObject({ kind: "start" });
  });

  it("is not the unreadable one: a unit whose log says nothing at all does not begin anew over it", () => {
    const one = fleet(three);
    damagedLog(one);
    expect(one.planOf("role:edge")).toMatchObject({ rollout: null, next: { kind: "stopped", state: "paused" } });
  });
});

describe("a damaged state of a node", () => {
  it("makes its units due again, and plan and board say why", () => {
    const one = fleet(three);
    one.run();
    const states = new Map(one.record.states);
    states.delete("web-02");
    const damaged = [{ path: nodeStatePath("web-02"), message: "it is not JSON" }];
    one.record = { ...one.record, states, damaged };
    const plan = one.plan();
    expect(plan.units[0]?.next).toMatchObject({ kind: "start", because: "joined", waves: [["web-02"]] });
    const desired = { source: "main" as const, branch: "main", commit: null, unmerged: false };
    const board = boardOf(plan, { desired, record: one.record });
    expect(board.units[0]?.pending).toMatchObject([
      { node: "web-02", detail: expect.stringContaining("the record of what it proved is damaged") },
    ]);
    expect(board.damaged).toEqual(damaged);
  });
});

it("what was last reconciled is not taken for absent when it is illegible", () => {
  const damaged = [{ path: FLEET_RECORD, message: "it is not JSON" }];
  expect(fenceDamage({ damaged }, "watched")).toEqual({
    code: "record-damaged",
    message: "fleet.json on watched, which says what was last reconciled, cannot be read: it is not JSON",
    hint: expect.stringContaining("git log -p watched -- fleet.json"),
  });
  expect(fenceDamage({ damaged: [{ path: nodeStatePath("web-01"), message: "" }] }, "watched")).toBeNull();
  expect(damageHint("heartbeats.json", "observed")).toBe("it counts as absent; the next run writes it anew");
});

describe("what drift.ignore names", () => {
  const lostOn = (one: SimulatedFleet) => {
    const digest = one.planOf("role:edge").unit.targets.find(({ node: name }) => name === "web-02")?.digest ?? "";
    const items = [item({ host: "web-02" })];
    const seen = report({ node: "web-02", digests: { "role:edge": digest }, items });
    one.record = { ...one.record, reports: new Map([["web-02", seen]]) };
  };
  const ignoring = (until: string) => {
    const ignore = [{ host: "web-02", resource: "file:/etc/edge", reason: "tried out there", until }];
    const fleetFile = JSON.stringify({ version: 2, generation: 42, drift: { heal: true, ignore } });
    return stateOf(three, edge, { "roster/fleet.yaml": fleetFile });
  };

  it.each([
    ["takes no proof away and is not healed", "2026-11-30", "applied", "nothing"],
    ["counts again when its day is over", "2026-11-29", "pending", "start"],
  ])("%s", (_what, until, state, next) => {
    const one = new SimulatedFleet(ignoring(until));
    one.run();
    lostOn(one);
    const plan = one.planOf("role:edge");
    expect([plan.cells.find((cell) => cell.node === "web-02")?.state, plan.next.kind]).toEqual([state, next]);
  });

  it("is of that host only", () => {
    const one = new SimulatedFleet(ignoring("2026-12-31"));
    one.run();
    lostOn(one);
    const [seen] = one.record.reports.values();
    if (seen === undefined) throw new Error("nothing was seen");
    one.record = { ...one.record, reports: new Map([["web-01", { ...seen, node: "web-01" }]]) };
    expect(one.planOf("role:edge").next.kind).toBe("start");
  });
});

describe("a rollout that nobody owns", () => {
  it("is ended by a run over the whole fleet, and by no other", () => {
    const one = fleet(three);
    one.run({ fails: () => true });
    const { id, unit, digest } = one.rollout("role:edge");
    one.state = stateOf({ "web-01": {} }, {});
    expect(one.plan().ownerless).toEqual([{ id, unit, digest }]);
    expect(planFleet(one.state, one.record, NOW, { heal: true, units: new Set(["role:host"]) }).ownerless).toEqual([]);
  });

  it("is not one that has ended, nor one whose role some node has to let go of", () => {
    const ended = fleet({ "web-01": node() });
    ended.run();
    ended.prove("web-01", "role:edge");
    ended.state = stateOf({ "web-01": {} }, {});
    expect(ended.plan()).toMatchObject({ ownerless: [], units: [] });
    const held = fleet(three);
    held.run({ fails: (_, name) => name === "desk-01" });
    held.state = stateOf({ "web-01": {} }, {});
    expect(held.plan()).toMatchObject({ ownerless: [], units: [{ supersedes: [{ state: "paused" }] }] });
  });
});

describe("what is only observed", () => {
  const seen = { edge: { ...edge.edge, mode: "observe" } };
  it.each([
    ["as declared", [], "as declared"],
    ["as different", [item()], "1 difference: file:/etc/edge (write)"],
    [
      "as different in several",
      [item(), item({ resource: { type: "file", id: "file:/etc/b" } })],
      "2 differences: file:/etc/edge (write), file:/etc/b (write)",
    ],
  ])("is told %s by the last report", (_what, items, detail) => {
    const one = fleet({ "web-01": node() }, seen);
    const digest = one.planOf("role:edge").unit.targets[0]?.digest ?? "";
    one.record = { ...one.record, reports: new Map([["web-01", report({ digests: { "role:edge": digest }, items })]]) };
    const heartbeats = new Map([["web-01", BEAT]]);
    one.record = { ...one.record, heartbeats };
    expect(one.planOf("role:edge")).toMatchObject({ next: { kind: "observe" }, cells: [{ reason: "due", detail }] });
  });
});

const BEAT = {
  observed_at: "2026-11-30T09:00:00Z",
  attempted_at: "2026-11-30T09:00:00Z",
  outcome: "converged" as const,
  message: "",
  failing_since: null,
  recheck: null,
};
