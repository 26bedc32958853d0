import { describe, expect, it } from "vitest";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { FLEET, node, role, textFiles } from "./text-files.ts";

/** Nodes, a role for every fifty of them, and a shipped file a role. */
function fleetOf(nodes: number) {
  const files: Record<string, string> = { "roster/fleet.yaml": FLEET, "host-roles/host.yaml": role("host") };
  for (let index = 0; index < nodes; index++) {
    const group = index % Math.ceil(nodes / 50);
    files[`roster/nodes/n${index}.yaml`] = node(`n${index}`, `roles: [r${group}]\nlabels: { rack: r${index % 40} }\n`);
    const resources = `\n  - { type: package, name: curl }\n  - { type: file, path: /etc/r${group}, source: conf }`;
    files[`host-roles/r${group}.yaml`] = role(`r${group}`, "", resources);
    files[`host-roles/r${group}/files/conf`] = `conf of ${group}\n`;
  }
  return textFiles(files);
}

// Counts, never time: what a machine does not change (DESIGN §8). The figures in seconds are in the report of a bench.
describe("the cost of loading", () => {
  it("reads every YAML file once, and a shipped file as often in a large fleet as in a small one", () => {
    const often = (nodes: number) => {
      const files = fleetOf(nodes);
      expect(loadDesired(files).diagnostics).toEqual([]);
      const yaml = [...files.reads].filter(([path]) => path.endsWith(".yaml"));
      expect(yaml.length).toBe(files.paths.filter((path) => path.endsWith(".yaml")).length);
      expect(new Set(yaml.map(([, count]) => count))).toEqual(new Set([1]));
      return Math.max(...files.reads.values());
    };
    expect(often(500)).toBe(often(50));
  });
});
