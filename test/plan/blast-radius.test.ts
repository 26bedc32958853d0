import { describe, expect, it } from "vitest";
import type { PlannedGroup, PlannedItem } from "../../src/model/plan-document.ts";
import type { RolloutEvent } from "../../src/model/rollout-event.ts";
import { blastRadius, wavesWithRestarts } from "../../src/plan/blast-radius.ts";
import { expectedDuration, nodeDurations } from "../../src/plan/expected-duration.ts";
import { NOTHING_OBSERVED } from "../engine/proved-record.ts";

const restart: PlannedItem = {
  role: "edge",
  resource: "systemd_unit:caddy.service",
  type: "systemd_unit",
  kind: "restart",
  verb: "start",
  params: { restart: true },
  severity: "drift",
  reasons: ["restart-due"],
  basis: "desired",
  why: "",
  content: null,
};
const group = (name: string, nodes: string[], item: PlannedItem): PlannedGroup => ({
  same: "0".repeat(64),
  class: name,
  nodes,
  items: [item],
});

function lost(waves: string[][], groups: PlannedGroup[], healthy: Record<string, string[]>) {
  const all = new Map(Object.entries(healthy).map(([name, nodes]) => [name, new Set(nodes)]));
  return blastRadius(wavesWithRestarts(waves, groups), groups, all).last_healthy;
}

describe("a class loses its last healthy node", () => {
  const web = group("web", ["a", "b", "c"], restart);

  it("where all that are healthy restart in one wave, and only there", () => {
    expect(lost([["a"], ["b", "c"]], [web], { web: ["b", "c"] })).toEqual([
      { class: "web", wave: 1, nodes: ["b", "c"] },
    ]);
    expect(lost([["a"], ["b"], ["c"]], [web], { web: ["a", "b", "c"] })).toEqual([]);
  });

  it("not where another one is healthy, none ever was, or nothing is away meanwhile", () => {
    expect(lost([["a", "b", "c"]], [web], { web: ["a", "b", "c", "untouched"] })).toEqual([]);
    expect(lost([["a", "b", "c"]], [web], {})).toEqual([]);
    const started = group("web", ["a"], { ...restart, kind: "change", reasons: ["inactive", "restart-due"] });
    expect(lost([["a"]], [started], { web: ["a"] })).toEqual([]);
  });

  it("also when its nodes are in several groups", () => {
    const groups = [group("web", ["a"], restart), group("web", ["b"], restart), group("db", ["d"], restart)];
    expect(lost([["a", "b", "d"]], groups, { web: ["a", "b"], db: ["d", "e"] })).toMatchObject([
      { class: "web", nodes: ["a", "b"] },
    ]);
  });
});

describe("how long a unit takes", () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 1, 0, 0, second)).toISOString();
  const event = (event: string, node: string, second: number) => ({ event, node, at: at(second) }) as RolloutEvent;
  const node = (name: string, from: number, to: number) => [
    event("node-started", name, from),
    event("node-succeeded", name, to),
  ];
  const record = {
    ...NOTHING_OBSERVED,
    rollouts: new Map([
      ["role:edge@000000000001", [...node("a", 0, 10), ...node("b", 0, 30), event("node-started", "c", 0)]],
      ["role:edge@000000000002", [...node("a", 5, 25), event("node-failed", "b", 50), event("node-succeeded", "c", 9)]],
      ["role:host@000000000003", node("a", 30, 20)],
    ]),
  };

  it("is the median of what nodes took in all its past rollouts, and unknown where none was through", () => {
    expect([...nodeDurations(record)]).toEqual([["role:edge", 20_000]]);
  });

  it("counts waves one after the other, and in each as many nodes at a time as may be", () => {
    const waves = [["a"], ["b"], ["c", "d", "e", "f", "g"]];
    expect(expectedDuration(waves, 20_000, 2)).toBe(100_000);
    expect(expectedDuration(waves, undefined, 2)).toBeNull();
    expect(expectedDuration([], 20_000, 2)).toBe(0);
  });
});
