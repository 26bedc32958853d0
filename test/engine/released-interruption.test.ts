import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import { boundariesOf, ControllerKilled, type Fault, type Orphan } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import type { NodeEffect, Step } from "../../src/model/node-effect.ts";
import { portrait, REPOSITORY } from "../adapters/memory-fixture.ts";
import { PROPERTY_RUNS, run, runOver } from "./run-in-memory.ts";
import { APP, NODE, smallFleet } from "./small-fleet.ts";

type OnRelease = "keep" | "remove";

const ORPHANS: readonly Orphan[] = ["finishes", "dies", { boundaries: 0 }, { boundaries: 2 }];
const REMOVALS = new Set<NodeEffect["do"]>([
  "remove-file",
  "remove-directory",
  "remove-package",
  "stop-unit",
  "disable-unit",
]);

const host = { resources: [{ type: "file", path: "/etc/base", content: "base\n" }] };
/** The whole role, or without some of its resources; what comes in its place is new, and a role of its own. */
function desired(onRelease: OnRelease, left: readonly number[] | "role"): DesiredState {
  const resources = left === "role" ? APP : APP.filter((_resource, index) => !left.includes(index));
  const next = { resources: [{ type: "file", path: "/etc/next", content: "next\n" }] };
  const listed = left === "role" ? ["host", "next"] : ["host", "next", "app"];
  return smallFleet({ host, next, app: { on_release: onRelease, resources } }, listed);
}

async function appNode(onRelease: OnRelease): Promise<MemoryNode> {
  const web = debianNode({ name: NODE, repository: REPOSITORY });
  await run("apply", smallFleet({ host, app: { on_release: onRelease, resources: APP } }), new Map([[NODE, web]]));
  return web;
}

/** The steps of the change runs that one apply takes, one list a run. */
async function changesOf(state: DesiredState, web: MemoryNode): Promise<readonly (readonly Step[])[]> {
  const changes: (readonly Step[])[] = [];
  const transport = new MemoryTransport(new Map([[NODE, web]]));
  const change = transport.change.bind(transport);
  transport.change = (target, request, onStep) => {
    changes.push(request.steps);
    return change(target, request, onStep);
  };
  await runOver("apply", state, transport);
  return changes;
}

async function interrupted(onRelease: OnRelease, state: DesiredState, fault: Omit<Fault, "node">): Promise<unknown> {
  const web = await appNode(onRelease);
  const fleet = new Map([[NODE, web]]);
  await expect(run("apply", state, fleet, [{ ...fault, node: NODE } as Fault])).rejects.toThrow(ControllerKilled);
  const second = await run("apply", state, fleet);
  expect(second.result.outcomes).toEqual([{ node: NODE, outcome: "converged", message: "" }]);
  const checked = await run("check", state, fleet);
  expect(checked.result.reports.flatMap((report) => report.items)).toEqual([]);
  return portrait(web);
}

describe.each(["keep", "remove"] as const)("what is released with on_release: %s", (onRelease) => {
  it.each([
    ["a role", "role" as const],
    ["a file and its folders", [1, 2, 3, 4]],
  ])("ends alike, killed at every boundary of every run: %s", async (_what, left) => {
    const state = desired(onRelease, left);
    const straight = await appNode(onRelease);
    const changes = await changesOf(state, straight);
    expect(changes.length).toBe(onRelease === "keep" ? 1 : 3);
    const end = portrait(straight);
    for (const [nth, steps] of changes.entries()) {
      for (const at of boundariesOf(steps)) {
        for (const orphan of ORPHANS) {
          const fault = { fault: "controller-killed", at, orphan, on: { kind: "change", nth } } as const;
          expect(await interrupted(onRelease, state, fault)).toEqual(end);
        }
      }
    }
  });
});

describe("a role that leaves before the apply that was to bring it could end", () => {
  it("leaves nothing behind, wherever that apply was killed", async () => {
    const whole = smallFleet({ host, app: { on_release: "remove", resources: APP } });
    const left = smallFleet({ host, app: { on_release: "remove", resources: APP } }, ["host"]);
    const newNode = () => debianNode({ name: NODE, repository: REPOSITORY });
    const [steps = []] = await changesOf(whole, newNode());
    expect(steps.length).toBe(APP.length + 1);
    for (const at of boundariesOf(steps)) {
      for (const orphan of ORPHANS) {
        const web = newNode();
        const fleet = new Map([[NODE, web]]);
        const fault = { node: NODE, fault: "controller-killed", at, orphan } as const;
        await expect(run("apply", whole, fleet, [fault])).rejects.toThrow(ControllerKilled);
        expect((await run("apply", left, fleet)).outcomes).toEqual(["converged"]);
        const there = APP.flatMap(({ path }) => (path === undefined ? [] : String(path)));
        expect(there.filter((path) => web.files.get(path) !== undefined)).toEqual([]);
        expect(web.packages.get("tool:amd64")?.status ?? "not-installed").not.toBe("installed");
        expect(web.runtime.get("app.service")?.activeState ?? "inactive").toBe("inactive");
        expect(web.owned.map(({ id }) => id)).toEqual(["file:/etc/base"]);
      }
    }
  });
});

describe("whatever leaves desired state", () => {
  const leaving = fc.oneof(fc.constant("role" as const), fc.subarray(APP.map((_resource, index) => index)));

  it("goes only with on_release: remove, and of a role that stays nothing declared goes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom<OnRelease>("keep", "remove"), leaving, async (onRelease, left) => {
        // A unit without the file that it is made from is no valid role, nor is one without its folder.
        fc.pre(left === "role" || !left.includes(5) || left.includes(7));
        const web = await appNode(onRelease);
        web.journal = [];
        const fleet = new Map([[NODE, web]]);
        const state = desired(onRelease, left);
        expect((await run("apply", state, fleet)).outcomes).toEqual(["converged"]);
        const removed = web.journal.map(({ effect }) => effect).filter((effect) => REMOVALS.has(effect.do));
        if (onRelease === "keep") expect(removed).toEqual([]);
        for (const [index, resource] of APP.entries()) {
          if (!("path" in resource) || resource.type === "directory") continue;
          const isGone = onRelease === "remove" && (left === "role" || left.includes(index));
          expect(web.files.get(String(resource.path)) === undefined, String(resource.path)).toBe(isGone);
        }
        const checked = await run("check", state, fleet);
        expect(checked.result.reports.flatMap((report) => report.items)).toEqual([]);
        expect((await run("apply", state, fleet)).calls(NODE)).toEqual({ observe: 1, change: 0 });
      }),
      PROPERTY_RUNS,
    );
  });
});
