import { describe, expect, it } from "vitest";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import { type FleetView, renderApply, renderCheck } from "../../src/render/fleet-result.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { run } from "../engine/run-in-memory.ts";
import { NODE, smallFleet } from "../engine/small-fleet.ts";

const VIEW: FleetView = { classOf: () => "server", leftOut: { nodes: [], roles: [] } };

describe("what is released, for people", () => {
  it.each([
    ["keep", /warn +noop +file:\/etc\/a +app · released$/m, /^ +kept +noop +file:\/etc\/a$/m],
    ["remove", /drift +remove +file:\/etc\/a +app · released, exists$/m, /^ +done +remove +file:\/etc\/a$/m],
  ] as const)("says what becomes of it with on_release: %s", async (on_release, checked, applied) => {
    const app = { on_release, resources: [{ type: "file", path: "/etc/a", content: "a" }] };
    const fleet = new Map([[NODE, debianNode({ name: NODE })]]);
    await run("apply", smallFleet({ app }), fleet);
    const left = smallFleet({ app }, []);
    expect(renderCheck((await run("check", left, fleet)).result, VIEW, PLAIN)).toMatch(checked);
    expect(renderApply((await run("apply", left, fleet)).result, VIEW, PLAIN)).toMatch(applied);
  });
});
