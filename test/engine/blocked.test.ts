import { describe, expect, it } from "vitest";
import { debianNode, putFile } from "../../src/adapters/memory/debian-node.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { portrait } from "../adapters/memory-fixture.ts";
import { run } from "./run-in-memory.ts";
import { NODE, type RoleText, smallFleet } from "./small-fleet.ts";

const file = (path: string) => ({ type: "file", path, content: `${path}\n` });
const apply = (roles: Readonly<Record<string, RoleText>>, web: MemoryNode, verb: "check" | "apply" = "apply") =>
  run(verb, smallFleet(roles), new Map([[NODE, web]]));

const CHAIN: Readonly<Record<string, RoleText>> = {
  "gyrum-prober": { resources: [file("/closed/a"), file("/etc/b")] },
  edge: { requires: ["gyrum-prober"], resources: [file("/etc/c"), file("/etc/d")] },
  web: { requires: ["edge"], resources: [file("/etc/e")] },
  other: { resources: [file("/etc/f")] },
};

function closedNode(): MemoryNode {
  const web = debianNode({ name: NODE });
  putFile(web, "/closed/x", "");
  web.readOnly.add("/closed");
  return web;
}

describe("a role whose requirement failed", () => {
  it("is blocked, and so is what requires it; what does not goes on", async () => {
    const web = closedNode();
    const { result } = await apply(CHAIN, web);
    expect(result.outcomes).toEqual([
      {
        node: NODE,
        outcome: "failed",
        message: expect.stringMatching(
          /^file:\/closed\/a: read-only.*; 1 later step of the role left out; blocked: role edge, because gyrum-prober failed; blocked: role web, because gyrum-prober failed$/,
        ),
      },
    ]);
    const there = ["/etc/b", "/etc/c", "/etc/d", "/etc/e", "/etc/f"].filter(
      (path) => web.files.get(path) !== undefined,
    );
    expect(there).toEqual(["/etc/f"]);
  });

  it("goes on once it is mended, whatever the order in which the roles are listed", async () => {
    const web = closedNode();
    const backwards = Object.fromEntries(Object.entries(CHAIN).reverse());
    expect((await apply(backwards, web)).outcomes).toEqual(["failed"]);
    expect(web.files.get("/etc/e")).toBeUndefined();
    web.readOnly.clear();
    expect((await apply(backwards, web)).outcomes).toEqual(["converged"]);
  });

  it("is blocked too when what it requires can never be as declared", async () => {
    const web = closedNode();
    web.readOnly.clear();
    putFile(web, "/closed/a/x", "in the way");
    const { result } = await apply(CHAIN, web);
    expect(result.outcomes[0]).toMatchObject({
      outcome: "not-converged",
      message: expect.stringMatching(
        /^file:\/closed\/a still differs.*directory-in-the-way; blocked: role edge, because gyrum-prober/,
      ),
    });
    expect(["/etc/b", "/etc/c", "/etc/e"].map((path) => web.files.get(path) !== undefined)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is not called blocked when there was nothing to do for it", async () => {
    const web = closedNode();
    web.readOnly.clear();
    await apply(CHAIN, web);
    putFile(web, "/closed/a", "tampered");
    web.readOnly.add("/closed");
    expect((await apply(CHAIN, web)).result.outcomes[0]?.message).not.toContain("blocked");
  });
});

describe("a role with mode: observe", () => {
  const seen: RoleText = { mode: "observe", resources: [file("/etc/a")] };
  const edge: RoleText = { requires: ["seen"], resources: [file("/etc/c")] };

  it("is reported by check as drift, and left alone by apply, which is then done", async () => {
    const web = debianNode({ name: NODE });
    const before = portrait(web);
    const checked = await apply({ seen }, web, "check");
    expect(checked.outcomes).toEqual(["drift"]);
    const applied = await apply({ seen }, web);
    expect(applied.outcomes).toEqual(["converged"]);
    expect(applied.result.reports.map(({ items }) => items.length)).toEqual([1, 1]);
    expect(applied.calls(NODE)).toEqual({ observe: 1, change: 0 });
    expect(portrait(web)).toEqual(before);
  });

  it("blocks what requires it as long as it differs, and no longer", async () => {
    const web = debianNode({ name: NODE });
    const before = portrait(web);
    const { result } = await apply({ seen, edge }, web);
    expect(result.outcomes).toEqual([
      {
        node: NODE,
        outcome: "not-converged",
        message: "blocked: role edge, because seen differs and is only observed",
      },
    ]);
    expect(portrait(web)).toEqual(before);
    putFile(web, "/etc/a", "/etc/a\n");
    expect((await apply({ seen, edge }, web)).outcomes).toEqual(["converged"]);
    expect(web.files.get("/etc/c")).toBeDefined();
    expect(web.owned.map(({ role }) => role)).toEqual(["edge"]);
  });
});
