import { describe, expect, it } from "vitest";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { rolesOf } from "../../src/desired/roles-of.ts";
import { RESOURCE_TYPES } from "../../src/model/drift-item.ts";
import { RESOURCE_CATALOGUE } from "../../src/resources/index.ts";
import { FLEET, node, role, textFiles } from "./text-files.ts";

const fleet = { "roster/fleet.yaml": FLEET };

describe("loadDesired", () => {
  it("says that there is no fleet.yaml, and still reads the rest", () => {
    const { state, generation, diagnostics } = loadDesired(textFiles({ "roster/nodes/a.yaml": "name: a\n" }));
    expect([state, generation]).toEqual([null, null]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["missing-file", "missing-key", "missing-key"]);
  });

  it("says what was refused as a file", () => {
    const refused = [{ path: "roster/nodes/a.yaml", reason: "is a link to an absolute path" }];
    const { state, diagnostics } = loadDesired({ ...textFiles(fleet), refused });
    expect(state).toBeNull();
    expect(diagnostics).toMatchObject([{ code: "refused-file", file: "roster/nodes/a.yaml" }]);
  });

  it("knows the generation of a fleet whose nodes are broken", () => {
    const { state, generation } = loadDesired(textFiles({ ...fleet, "roster/nodes/a.yaml": "[" }));
    expect([state, generation]).toEqual([null, 42]);
  });

  it("does not mind keys that JavaScript's objects have already", () => {
    const files = {
      ...fleet,
      "roster/nodes/a.yaml": node("a", "labels: { constructor: x }\nvars: { hasOwnProperty: y }\n"),
    };
    const [only] = loadDesired(textFiles(files)).state?.nodes ?? [];
    expect(only?.labels).toEqual({ constructor: "x" });
    expect(only?.vars).toEqual({ hasOwnProperty: "y" });
  });

  it("gives the same bytes the same digest, and other bytes another", () => {
    const digest = (more: Record<string, string>) =>
      loadDesired(textFiles({ ...fleet, "host-roles/a.yaml": one("hello"), ...more })).state?.roles.get("a")?.digest;
    const one = (content: string) => role("a", "", `\n  - { type: file, path: /m, content: ${content} }`);
    const shipped = role("a", "", "\n  - { type: file, path: /m, source: m }");
    expect(digest({})).toMatch(/^[0-9a-f]{64}$/);
    expect(digest({ "host-roles/a.yaml": `# a comment\n${one('"hello"')}` })).toBe(digest({}));
    const others = [
      digest({ "host-roles/a.yaml": one("other") }),
      digest({ "host-roles/a.yaml": one("hello").replace("version: 1", "version: 2") }),
      digest({ "host-roles/a.yaml": shipped, "host-roles/a/files/m": "hello" }),
      digest({ "host-roles/a.yaml": shipped, "host-roles/a/files/m": "hello " }),
    ];
    expect(new Set([digest({}), ...others]).size).toBe(5);
  });

  it.each(RESOURCE_TYPES)("answers for the resource type %s", (type) => {
    const text = role("a", "", `\n  - { type: ${type} }`);
    const codes = loadDesired(textFiles({ ...fleet, "host-roles/a.yaml": text })).diagnostics.map(({ code }) => code);
    const known = RESOURCE_CATALOGUE.some((member) => member.type === type);
    expect(codes.includes("resource-type-unavailable")).toBe(!known);
    if (known) expect(codes).toContain("missing-key");
  });
});

describe("rolesOf", () => {
  const names = (own: string, roles: Record<string, string>, os = "linux") => {
    const files = Object.fromEntries(
      Object.entries(roles).map(([name, requires]) => [
        `host-roles/${name}.yaml`,
        role(name, `requires: ${requires}\n`),
      ]),
    );
    const { state } = loadDesired(
      textFiles({ ...fleet, ...files, "roster/nodes/a.yaml": node("a", `os: ${os}\nroles: ${own}\n`) }),
    );
    const [only] = state?.nodes ?? [];
    if (state === null || only === undefined) throw new Error("the fleet is not valid");
    return rolesOf(only, state).map(({ name }) => name);
  };

  it("puts host first, then by requires, then as listed", () => {
    const roles = { host: "[]", a: "[c]", b: "[]", c: "[host]", d: "[b, c]" };
    expect(names("[d, a, b, c]", roles)).toEqual(["host", "b", "c", "d", "a"]);
    expect(names("[b, a, c]", roles)).toEqual(["host", "b", "c", "a"]);
    expect(names("[]", roles)).toEqual(["host"]);
  });

  it("does not repeat a host that is listed, and puts before it what it requires itself", () => {
    expect(names("[a, host]", { host: "[]", a: "[]" })).toEqual(["host", "a"]);
    expect(names("[a, base]", { host: "[base]", a: "[]", base: "[]" })).toEqual(["base", "host", "a"]);
  });

  it("gives the base role to Linux nodes only", () => {
    expect(names("[a]", { host: "[]", a: "[]" }, "windows")).toEqual(["a"]);
    expect(names("[a]", { a: "[]" })).toEqual(["a"]);
  });
});
