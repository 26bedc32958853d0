import { describe, expect, it } from "vitest";
import { desiredFleet, file, World } from "./reconcile-world.ts";

const NODES = {
  "web-01": { roles: ["web"] },
  "web-02": { roles: ["web"] },
  "web-03": { roles: ["web"] },
  "desk-01": { roles: ["web"], class: "desktop" },
  "desk-02": { roles: ["web"], class: "desktop" },
};
const NAMES = Object.keys(NODES);
const web = (content: string, more: object = {}) => ({ resources: [file("/etc/app.conf", content)], ...more });
const fleet = (content: string, more: object = {}) =>
  desiredFleet({ nodes: NODES, roles: { web: web(content, more) } });

describe("reconcile", () => {
  it("takes a role through three waves, proves it on every node, and does nothing the next time", async () => {
    const world = new World(NAMES);
    const { result } = await world.reconcile(fleet("one\n"));
    expect(result.stopped).toBeNull();
    expect(result.units).toMatchObject([
      { unit: "role:web", state: "completed", next: "nothing", applied: 5, targets: 5 },
    ]);
    expect(world.rollout("role:web").waves.map((wave) => wave.length)).toEqual([1, 1, 3]);
    expect([...world.record.states.keys()].sort()).toEqual([...NAMES].sort());
    expect(world.record.states.get("web-01")?.markers).toMatchObject([
      { unit: "role:web", grade: "transition", evidence: "1 resource read back" },
    ]);
    expect(world.record.damaged).toEqual([]);
    const commits = world.refs.observed.commits.length;
    const again = await world.reconcile(fleet("one\n"));
    expect(again.result.outcomes).toEqual([]);
    expect(world.refs.observed.commits.length).toBe(commits);
    expect(NAMES.map((name) => again.calls(name).observe)).toEqual([0, 0, 0, 0, 0]);
  });
});
