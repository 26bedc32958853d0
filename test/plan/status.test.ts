import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { NODE_STATES, ROLLOUT_STATES } from "../../src/model/rollout-document.ts";
import { type Cell, PENDING_REASONS } from "../../src/plan/cell.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import { cellsOf } from "../../src/plan/status.ts";
import { contextOf, type StatusCase, statusCase, unitOf } from "./status-case.ts";

const folder = new URL("../cases/status/", import.meta.url);
const suites = readdirSync(folder).map((name) => ({
  name,
  cases: z.array(statusCase).parse(parse(readFileSync(new URL(name, folder), "utf8"))),
}));

function cellOf(given: StatusCase): Cell {
  const [cell, ...others] = cellsOf(unitOf(given), contextOf(given));
  if (cell === undefined || others.length > 0) throw new Error("one target has one cell");
  return cell;
}

describe.each(suites)("$name", ({ cases }) => {
  it.each(cases)("$name", (given) => {
    expect(cellOf(given)).toMatchObject({ node: "web-01", unit: "role:edge", ...given.cell });
  });
});

it("every reason has a case, so that none can go unsaid", () => {
  const said = suites.flatMap(({ cases }) => cases.map(({ cell }) => cell.reason));
  expect(PENDING_REASONS.filter((reason) => !said.includes(reason))).toEqual([]);
});

it("a target that is no node is a fault of ours", () => {
  const given = statusCase.parse({ name: "", cell: {} });
  expect(() => cellsOf(unitOf(given), { ...contextOf(given), nodes: new Map() })).toThrow("no node");
});

/** Mostly what fits, so that cells of every state come up often enough to judge. */
const digit = fc.constantFrom("1", "1", "1", "9");
const machine = fc.constantFrom("a", "a", "a", "b");
const mostly = fc.constantFrom(true, true, true, false);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const word = {
  unit: fc.constantFrom("role:edge", "role:edge", "role:web"),
  by: fc.constant("octocat"),
  at: fc.constant("2026-05-06"),
};
const items = fc.array(
  fc.record({
    id: fc.constantFrom("x", "y"),
    role: fc.constantFrom("edge", "web"),
    severity: fc.constantFrom("warn", "drift", "error"),
  }),
  { maxLength: 3 },
);

/** Anything that may be known of a unit on a node, likely or not. */
const anything: fc.Arbitrary<StatusCase> = fc.record({
  name: fc.constant(""),
  cell: fc.constant({}),
  provable: mostly,
  enforced: fc.boolean(),
  heal: fc.boolean(),
  release: mostly.map((usual) => !usual),
  node: fc.record({
    enabled: fc.boolean(),
    os: fc.constantFrom("linux", "windows"),
    machineId: fc.option(machine),
    declines: fc.array(fc.record({ ...word, reason: fc.string() }), { maxLength: 2 }),
    claims: fc.array(fc.record({ ...word, note: fc.string() }), { maxLength: 2 }),
    down: fc.option(
      fc.record({
        reason: fc.string(),
        recheck: fc.constant("reachable"),
        by: fc.string(),
        since: fc.constantFrom("2026-11-29", "2026-01-01", "soon"),
      }),
    ),
  }),
  marker: maybe(
    fc.record({
      digest: digit,
      machine_id: fc.option(machine),
      verify_exit: fc.constantFrom(0, 0, 1),
      unit: word.unit,
    }),
  ),
  report: fc.option(fc.record({ machine_id: fc.option(machine), digests: fc.record({ "role:edge": digit }), items })),
  heartbeat: fc.option(
    fc.record({
      observed_at: fc.option(fc.constantFrom("2026-11-30T09:00:00Z", "2026-01-01T00:00:00Z")),
      failing_since: fc.option(fc.constant("2026-11-30T08:00:00Z")),
    }),
  ),
  rollout: maybe(
    fc.record({
      state: fc.constantFrom(...ROLLOUT_STATES),
      restartRequested: fc.boolean(),
      wave: fc.nat(2),
      node: maybe(fc.record({ state: fc.constantFrom(...NODE_STATES), wave: fc.nat(2) })),
    }),
  ),
});

describe("the four states", () => {
  it("are exclusive and exhaustive, and each says all that it must", () => {
    fc.assert(
      fc.property(anything, (given) => {
        const { node: _node, unit: _unit, ...cell } = cellOf(given);
        const keys = {
          applied: ["at", "grade", "lastRead", "state"],
          "not-for-me": ["by", "reason", "state"],
          claimed: ["at", "by", "note", "state"],
          pending: ["detail", "hint", "reason", "since", "state"],
        }[cell.state];
        expect(Object.keys(cell).sort()).toEqual(keys);
        if (cell.state === "pending") expect(PENDING_REASONS).toContain(cell.reason);
        if (cell.state === "pending") expect(cell.hint).toMatch(/^rollcall (check|apply|reconcile|node|rollout)\b/);
      }),
      { numRuns: 2000 },
    );
  });

  it("are applied only by a marker of this digest and machine that nothing contradicts, whatever else is said", () => {
    let applied = 0;
    fc.assert(
      fc.property(anything, (given) => {
        const { marker, report, node } = given;
        const known = report === null ? "a" : report.machine_id;
        const proved =
          marker?.unit === "role:edge" &&
          marker.digest === "1" &&
          marker.verify_exit === 0 &&
          marker.machine_id === known &&
          (node.machineId === null || node.machineId === known);
        const drift = report?.items.some((one) => one.role === "edge" && one.severity !== "warn") ?? false;
        const lost = report?.digests?.["role:edge"] === "1" && drift;
        const expected = proved && !lost && given.provable && !given.release;
        if (expected) applied += 1;
        expect(cellOf(given).state === "applied").toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(applied, "random cases that are applied").toBeGreaterThan(10);
  });

  it("do not depend on the order of targets or nodes, nor on what other nodes do", () => {
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 5 }), fc.gen(), (all, gen) => {
        const named = all.map((given, index) => ({ given, name: `n${index}` }));
        const order = gen(fc.shuffledSubarray, named, { minLength: named.length });
        const [rest] = named;
        if (rest === undefined) return;
        const base = { ...contextOf(rest.given), rollout: null };
        const rename = <Value extends { readonly node: string }>(
          value: Value | undefined,
          node: string,
        ): [string, Value][] => (value === undefined ? [] : [[node, { ...value, node }]]);
        const contexts = order.map(({ given, name }) => ({
          name,
          context: contextOf(given),
          unit: unitOf(rest.given),
        }));
        const context = {
          ...base,
          nodes: new Map(
            contexts.flatMap(({ name, context }) =>
              [...context.nodes.values()].map((node) => [name, { ...node, name }] as const),
            ),
          ),
          record: {
            ...base.record,
            states: new Map(contexts.flatMap(({ name, context }) => rename(context.record.states.get("web-01"), name))),
            reports: new Map(
              contexts.flatMap(({ name, context }) => rename(context.record.reports.get("web-01"), name)),
            ),
            heartbeats: new Map(
              contexts.flatMap(({ name, context }) =>
                [...context.record.heartbeats.values()].map((beat) => [name, beat] as const),
              ),
            ),
          },
        };
        const [target] = unitOf(rest.given).targets;
        if (target === undefined) throw new Error("no target");
        const unit = { ...unitOf(rest.given), targets: order.map(({ name }) => ({ ...target, node: name })) };
        const cells = new Map(cellsOf(unit, context).map((cell) => [cell.node, cell]));
        for (const { given, name } of named) {
          const alone = {
            ...given,
            provable: rest.given.provable,
            enforced: rest.given.enforced,
            heal: rest.given.heal,
            release: rest.given.release,
          };
          const [cell] = cellsOf(unitOf(alone), { ...contextOf(alone), rollout: null });
          const renamed = JSON.parse(JSON.stringify(cell).replaceAll("web-01", name)) as Cell;
          expect(cells.get(name)).toEqual(renamed);
        }
      }),
    );
  });

  it("are the same when the record has gone through its files", () => {
    // A record that nobody wrote is pending everywhere, never green.
    const empty = { commit: null, paths: [], read: () => undefined };
    const given = statusCase.parse({ name: "", marker: {}, cell: {} });
    const [cell] = cellsOf(unitOf(given), { ...contextOf(given), record: readRecord(empty, empty) });
    expect(cell).toMatchObject({ state: "pending", reason: "never-reported" });
  });
});
