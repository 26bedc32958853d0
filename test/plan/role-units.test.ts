import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/kit/digest.ts";
import { roleUnits } from "../../src/plan/role-units.ts";
import { digestOf, MACHINE, marker, NO_RECORD, stateOf } from "./recorded.ts";

function recordOf(markers: Readonly<Record<string, readonly string[]>>) {
  const states = Object.entries(markers).map(([node, units]) => {
    const own = units.map((unit) => marker({ unit }));
    return [node, { v: 1 as const, node, machine_id: MACHINE, markers: own }] as const;
  });
  return { ...NO_RECORD, states: new Map(states) };
}

describe("roles as units", () => {
  it("come host first, each after what it requires, otherwise by name", () => {
    const roles = { a: { requires: ["z"] }, b: {}, z: {}, host: { requires: ["ntp"] }, ntp: {} };
    const state = stateOf({ n: { roles: ["a", "b", "z", "ntp"] } }, roles);
    expect(roleUnits(state, NO_RECORD).map(({ id }) => id)).toEqual(
      ["ntp", "host", "z", "a", "b"].map((n) => `role:${n}`),
    );
  });

  it("have every node with the role, but no retired one, and the base role all Linux nodes", () => {
    const state = stateOf(
      {
        b: { roles: ["edge"] },
        a: { roles: ["edge"], enabled: "false" },
        old: { roles: ["edge"], state: "retired" },
        win: { os: "windows" },
      },
      { edge: {}, host: {} },
    );
    const targets = roleUnits(state, NO_RECORD).map(({ id, targets }) => [id, targets.map(({ node }) => node)]);
    expect(targets).toEqual([
      ["role:host", ["a", "b"]],
      ["role:edge", ["a", "b"]],
    ]);
  });

  it("release the nodes that proved a role and lost it, and leave others alone", () => {
    const state = stateOf({ a: {}, b: { roles: ["edge"] }, old: { state: "retired" } }, { edge: {} });
    const record = recordOf({ a: ["role:edge"], b: ["role:edge"], old: ["role:edge"], gone: ["role:edge"] });
    const [edge] = roleUnits(state, record);
    expect(edge?.targets.map(({ node, action }) => [node, action])).toEqual([
      ["a", "release"],
      ["b", "converge"],
    ]);
    expect(edge?.targets[0]?.digest).toBe(digestOf("1"));
    expect(edge?.targets[1]?.digest).not.toBe(digestOf("1"));
  });

  it("come last when their manifest is gone, in waves and enforced", () => {
    const state = stateOf({ a: {}, b: {} }, { edge: {} });
    const record = recordOf({ b: ["role:zeta", "role:beta", "parcel:2026-x"], a: ["role:beta"] });
    const units = roleUnits(state, record);
    expect(units.map(({ id }) => id)).toEqual(["role:edge", "role:beta", "role:zeta"]);
    expect(units[1]).toMatchObject({
      digest: sha256Hex("role:beta released"),
      enforced: true,
      strategy: "waves",
      targets: [
        { node: "a", action: "release" },
        { node: "b", action: "release" },
      ],
    });
  });

  it("carry what the manifest says of their rollouts", () => {
    const roles = {
      edge: { description: "Edge\n  proxy.\n", rollout: { canary: "a", concurrent: "true" }, requires: ["base"] },
      base: { risk: "safe", mode: "observe" },
    };
    const [base, edge] = roleUnits(stateOf({ a: { roles: ["edge", "base"] } }, roles), NO_RECORD);
    expect(base).toMatchObject({
      id: "role:base",
      strategy: "safe",
      enforced: false,
      policy: { canary: null, concurrent: false },
    });
    expect(edge).toMatchObject({ strategy: "waves", enforced: true, title: "Edge proxy.", version: 1, provable: true });
    expect(edge).toMatchObject({ policy: { canary: "a", concurrent: true }, requires: ["role:base"] });
  });
});
