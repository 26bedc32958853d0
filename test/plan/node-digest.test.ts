import { describe, expect, it } from "vitest";
import { roleNodeDigest } from "../../src/plan/node-digest.ts";
import { stateOf } from "./recorded.ts";

const FILE = { type: "file", path: "/etc/edge", content: "workers {{ node.vars.workers }}\n", template: "true" };
const ENV = { type: "env", path: "/etc/env", vars: { LOG: "info", TOKEN: { secret_ref: "env:TOKEN" } } };

/** The digest of the role `edge` on a node with these variables. */
function digest(resources: readonly object[], node: object = {}, role: object = {}, more: Record<string, string> = {}) {
  const keys = { vars: { workers: "4" }, roles: ["edge"], ...node };
  const state = stateOf({ "web-01": keys }, { edge: { resources, ...role } }, more);
  const [only] = state.nodes;
  const edge = state.roles.get("edge");
  if (only === undefined || edge === undefined) throw new Error("no node or no role");
  return roleNodeDigest(edge, only);
}

describe("the digest of a role on a node", () => {
  it("is a lower-case hex SHA-256, and the same each time", () => {
    expect(digest([FILE, ENV])).toMatch(/^[0-9a-f]{64}$/);
    expect(digest([FILE, ENV])).toBe(digest([FILE, ENV]));
  });

  it.each<[string, readonly object[], object?]>([
    ["rendered bytes", [FILE, ENV], { vars: { workers: "8" } }],
    ["a mode", [{ ...FILE, mode: "0600" }, ENV]],
    ["an owner", [{ ...FILE, owner: "www-data" }, ENV]],
    ["a value of an environment file", [FILE, { ...ENV, vars: { ...ENV.vars, LOG: "debug" } }]],
    ["which secret is meant", [FILE, { ...ENV, vars: { ...ENV.vars, TOKEN: { secret_ref: "env:OTHER" } } }]],
    ["the order of the resources", [ENV, FILE]],
    ["one resource more", [FILE, ENV, { type: "package", name: "curl" }]],
  ])("changes with %s", (_what, resources, node) => {
    expect(digest(resources, node)).not.toBe(digest([FILE, ENV]));
  });

  it.each<[string, readonly object[], object?, object?]>([
    ["version and description", [FILE, ENV], {}, { version: "7", description: "Other." }],
    [
      "rollout policy, risk and mode",
      [FILE, ENV],
      {},
      { rollout: { canary: "web-01" }, mode: "observe", on_release: "remove" },
    ],
    ["variables that no template reads", [FILE, ENV], { vars: { workers: "4", spare: "1" }, labels: { region: "eu" } }],
    [
      "the order in which an environment file's names are written",
      [FILE, { ...ENV, vars: { TOKEN: ENV.vars.TOKEN, LOG: "info" } }],
    ],
    ["a template that gives the same text", [{ ...FILE, content: "workers 4\n", template: "false" }, ENV]],
  ])("does not change with %s", (_what, resources, node, role) => {
    expect(digest(resources, node, role)).toBe(digest([FILE, ENV]));
  });

  it("goes by the bytes of a shipped file and not by its name", () => {
    const shipped = (source: string, text: string) =>
      digest([{ type: "file", path: "/etc/edge", source }], {}, {}, { [`host-roles/edge/files/${source}`]: text });
    expect(shipped("a", "one")).toBe(shipped("b", "one"));
    expect(shipped("a", "one")).not.toBe(shipped("a", "two"));
  });

  it("tells nodes apart by what a template reads of them, in whatever order they are asked", () => {
    const nodes = { a: { vars: { workers: "1" } }, b: { vars: { workers: "2" } }, c: { vars: { workers: "1" } } };
    const of = (order: readonly number[]) => {
      const state = stateOf(
        Object.fromEntries(Object.entries(nodes).map(([name, keys]) => [name, { ...keys, roles: ["edge"] }])),
        { edge: { resources: [FILE] } },
      );
      const edge = state.roles.get("edge");
      return order.map((index) => {
        const node = state.nodes[index];
        if (node === undefined || edge === undefined) throw new Error("no node or no role");
        return roleNodeDigest(edge, node);
      });
    };
    const [a, b, c] = of([0, 1, 2]);
    expect(a).toBe(c);
    expect(a).not.toBe(b);
    expect(of([1, 2, 0])).toEqual([b, c, a]);
  });

  it("renders no more often than nodes differ", () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const state = stateOf(
      Object.fromEntries(names.map((name, index) => [name, { roles: ["edge"], vars: { workers: `${index % 3}` } }])),
      { edge: { resources: [FILE] } },
    );
    const edge = state.roles.get("edge");
    if (edge === undefined) throw new Error("no role");
    let reads = 0;
    const counted = {
      ...edge,
      resources: edge.resources.map((resource) => ({
        ...resource,
        get content() {
          reads += 1;
          return resource.content;
        },
      })),
    };
    const digests = new Set(state.nodes.map((node) => roleNodeDigest(counted, node)));
    expect(digests.size).toBe(3);
    // Once more than they differ, to learn what is read; each rendering looks at `content` a few times.
    expect(reads).toBeLessThanOrEqual(4 * 4);
  });
});
