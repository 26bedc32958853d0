import { describe, expect, it } from "vitest";
import { debianNode, putFile } from "../../src/adapters/memory/debian-node.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { apply } from "../../src/engine/apply.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import type { DriftItem } from "../../src/model/drift-item.ts";
import { portrait, REPOSITORY } from "../adapters/memory-fixture.ts";
import { givenSecrets } from "./given-secrets.ts";
import { type Ran, run, runContext } from "./run-in-memory.ts";
import { APP, NODE, smallFleet, UNIT_FILE } from "./small-fleet.ts";

const newNode = (): MemoryNode => debianNode({ name: NODE, repository: REPOSITORY });
const over = (verb: "check" | "apply", state: DesiredState, web: MemoryNode): Promise<Ran> =>
  run(verb, state, new Map([[NODE, web]]));
const lines = (items: readonly DriftItem[] = []): string[] =>
  items.map(({ severity, action_to_apply: { verb, params }, resource }) =>
    [severity, verb, resource.id, ...(params.reasons as string[])].join(" "),
  );
const itemsOf = (ran: Ran, stage = 0): string[] => lines(ran.result.reports[stage]?.items);

const host = { resources: [{ type: "file", path: "/etc/base", content: "base\n" }] };
const app = (on_release: "keep" | "remove", resources: readonly object[] = APP) => ({ on_release, resources });

async function appNode(on_release: "keep" | "remove"): Promise<MemoryNode> {
  const web = newNode();
  const applied = await over("apply", smallFleet({ host, app: app(on_release) }), web);
  expect(applied.outcomes).toEqual(["converged"]);
  return web;
}

describe("a role that leaves a node", () => {
  it("is kept by default: shown until an apply has shown it, and nothing of it is touched", async () => {
    const web = await appNode("keep");
    const state = smallFleet({ host, app: app("keep") }, ["host"]);
    const before = portrait(web);
    const shown = APP.map((resource) => idOf(resource)).toReversed();
    const kept = shown.map((id) => `warn noop ${id} released`);
    for (let again = 0; again < 2; again++) {
      const checked = await over("check", state, web);
      expect(checked.outcomes).toEqual(["converged"]);
      expect(itemsOf(checked)).toEqual(kept);
    }
    expect(portrait(web)).toEqual(before);
    const applied = await over("apply", state, web);
    expect(applied.outcomes).toEqual(["converged"]);
    expect([itemsOf(applied, 0), itemsOf(applied, 1)]).toEqual([kept, []]);
    expect({ ...portrait(web), owned: null }).toEqual({ ...before, owned: null });
    expect(web.owned.map(({ id }) => id)).toEqual(["file:/etc/base"]);
    const after = await over("check", state, web);
    expect(itemsOf(after)).toEqual([]);
    expect(after.calls(NODE)).toEqual({ observe: 1, change: 0 });
  });

  it("is removed with on_release: remove, in the reverse order of apply, its folders when they are empty", async () => {
    const web = await appNode("remove");
    const state = smallFleet({ host, app: app("remove") }, ["host"]);
    expect(itemsOf(await over("check", state, web))).toEqual([
      "drift stop systemd_unit:app.service released active enabled",
      "warn noop command:/var/lib/app-index released",
      `drift remove file:${UNIT_FILE} released exists`,
      "drift remove env:/etc/app/env released exists",
      "drift remove file:/etc/app/conf.d/a.conf released exists",
      "drift remove directory:/etc/app/conf.d released exists",
      "drift remove directory:/etc/app released exists",
      "drift remove package:tool released installed",
    ]);
    web.journal = [];
    const applied = await over("apply", state, web);
    expect(applied.result.outcomes).toEqual([{ node: NODE, outcome: "converged", message: "" }]);
    expect(web.journal.map(({ effect }) => effect.do)).toEqual([
      "stop-unit",
      "disable-unit",
      "remove-file",
      "remove-file",
      "remove-file",
      "remove-package",
      "reload-daemon",
      "remove-directory",
      "remove-directory",
    ]);
    expect(web.owned.map(({ id }) => id)).toEqual(["file:/etc/base"]);
    const again = await over("apply", state, web);
    expect(again.calls(NODE)).toEqual({ observe: 1, change: 0 });
  });

  it("leaves a folder that holds what is not ours, says so until it is empty, and then removes it", async () => {
    const web = await appNode("remove");
    putFile(web, "/etc/app/theirs", "x");
    const state = smallFleet({ host, app: app("remove") }, ["host"]);
    for (let again = 0; again < 2; again++) {
      const applied = await over("apply", state, web);
      expect(applied.outcomes).toEqual(["converged"]);
      expect(itemsOf(applied, 1)).toEqual(["warn noop directory:/etc/app released not-empty"]);
    }
    web.files.remove("/etc/app/theirs");
    await over("apply", state, web);
    expect(web.files.get("/etc/app")).toBeUndefined();
  });

  it("keeps everything when its manifest is gone too", async () => {
    const web = await appNode("remove");
    const before = { ...portrait(web), owned: null };
    expect(await over("apply", smallFleet({ host }), web)).toMatchObject({ outcomes: ["converged"] });
    expect({ ...portrait(web), owned: null }).toEqual(before);
  });

  it("is reported and left alone while its manifest says observe", async () => {
    const web = await appNode("remove");
    const state = smallFleet({ host, app: { ...app("remove"), mode: "observe" } }, ["host"]);
    const before = portrait(web);
    const applied = await over("apply", state, web);
    expect(applied.outcomes).toEqual(["converged"]);
    expect(itemsOf(applied)).toContain(`warn noop file:${UNIT_FILE} released observed-only`);
    expect(portrait(web)).toEqual(before);
  });

  it("does not have what cannot converge tried again for every folder that goes", async () => {
    const web = await appNode("remove");
    web.journal = [];
    web.crashing.add("bad.service");
    const bad = [
      { type: "file", path: "/etc/systemd/system/bad.service", content: "[Service]\nExecStart=/bin/bad\n" },
      { type: "systemd_unit", name: "bad.service", state: "started", unit_file: "/etc/systemd/system/bad.service" },
    ];
    const state = smallFleet({ host, app: app("remove"), bad: { resources: bad } }, ["host", "bad"]);
    expect((await over("apply", state, web)).outcomes).toEqual(["not-converged"]);
    const done = web.journal.map(({ effect }) => effect.do);
    expect(done.filter((what) => /start/.test(what))).toHaveLength(1);
    expect(done.filter((what) => what === "remove-directory")).toHaveLength(2);
  });

  it("is looked at only by a run that is about it", async () => {
    const web = await appNode("remove");
    const before = portrait(web);
    const state = smallFleet({ host, app: app("remove"), next: { resources: [] } }, ["host", "next"]);
    const only = new Set(["next"]);
    const works = state.nodes.map((node) => nodeWork(state, node, only, givenSecrets()));
    const transport = new MemoryTransport(new Map([[NODE, web]]));
    const { reports } = await apply(works, runContext(transport), { dryRun: false });
    expect([reports.flatMap(({ items }) => items), portrait(web)]).toEqual([[], before]);
    expect(transport.calls(NODE)).toEqual({ observe: 1, change: 0 });
  });

  it("may be the last one that the node had", async () => {
    const web = await appNode("remove");
    const state = smallFleet({ app: app("remove") }, []);
    expect((await over("apply", state, web)).outcomes).toEqual(["converged"]);
    expect(web.files.get("/etc/app")).toBeUndefined();
    expect(web.files.get("/etc/base")).toBeDefined();
  });
});

describe("a resource that leaves its role", () => {
  const without = (id: string) => APP.filter((resource) => idOf(resource) !== id);

  it("is removed, and the service that read it restarts in the same run", async () => {
    const dropIn = "/etc/systemd/system/app.service.d/more.conf";
    const more = [
      ...APP.slice(0, -1),
      { type: "directory", path: "/etc/systemd/system/app.service.d" },
      { type: "file", path: dropIn, content: "[Service]\nNice=1\n" },
      ...APP.slice(-1),
    ];
    const web = newNode();
    await over("apply", smallFleet({ app: app("remove", more) }), web);
    const started = web.runtime.get("app.service")?.sinceMs ?? 0;
    const fewer = more.filter((resource) => idOf(resource) !== `file:${dropIn}`);
    const applied = await over("apply", smallFleet({ app: app("remove", fewer) }), web);
    expect(applied.outcomes).toEqual(["converged"]);
    expect(itemsOf(applied)).toEqual([
      `drift remove file:${dropIn} released exists`,
      "drift start systemd_unit:app.service restart-due",
    ]);
    expect(web.files.get(dropIn)).toBeUndefined();
    expect(web.runtime.get("app.service")?.sinceMs).toBeGreaterThan(started);
  });

  it("is not released when another role has it now, under whatever id or type", async () => {
    const web = await appNode("remove");
    const moved = {
      resources: [{ type: "file", id: "moved", path: "/etc/app/env", content: "LOG=info\n", mode: "0640" }],
    };
    const state = smallFleet({ host, app: app("remove", without("env:/etc/app/env")), moved });
    const checked = await over("check", state, web);
    expect(itemsOf(checked)).toEqual([]);
    const base = { host: { resources: [] }, base: { resources: host.resources } };
    expect(itemsOf(await over("check", smallFleet({ ...base, app: app("remove") }), web))).toEqual([]);
  });

  it("is not released when a declared resource lies in it or a unit is made from it", async () => {
    const web = await appNode("remove");
    const fewer = without("directory:/etc/app").filter((resource) => idOf(resource) !== `file:${UNIT_FILE}`);
    expect(itemsOf(await over("check", smallFleet({ host, app: app("remove", fewer) }), web))).toEqual([]);
  });

  it("is not stopped under one of its names while it is declared under another", async () => {
    const web = newNode();
    const text = "[Service]\nExecStart=/bin/app\n[Install]\nAlias=other.service\nWantedBy=multi-user.target\n";
    const file = { type: "file", path: UNIT_FILE, content: text };
    const unit = (name: string) => ({ type: "systemd_unit", name, state: "started", enabled: "true" });
    await over("apply", smallFleet({ app: app("remove", [file, unit("app.service")]) }), web);
    const state = smallFleet({
      app: app("remove", [file, { type: "systemd_unit", name: "other.service", state: "started" }]),
    });
    const applied = await over("apply", state, web);
    expect([applied.outcomes, itemsOf(applied)]).toEqual([["converged"], []]);
    expect(web.runtime.get("app.service")?.activeState).toBe("active");
  });

  it("was never rollcall's when it was declared absent or stopped", async () => {
    const web = newNode();
    const none = [
      { type: "file", path: "/etc/none", state: "absent" },
      { type: "systemd_unit", name: "none.service", state: "stopped", enabled: "false" },
    ];
    await over("apply", smallFleet({ host, app: app("remove", none) }), web);
    expect(web.owned.map(({ id }) => id)).toEqual(["file:/etc/base"]);
  });
});

describe("the record of what is rollcall's", () => {
  it("is not written on a node that is adopted as it stands", async () => {
    const web = await appNode("remove");
    web.owned = [];
    const before = portrait(web);
    const applied = await over("apply", smallFleet({ host, app: app("remove") }), web);
    expect(applied.calls(NODE)).toEqual({ observe: 1, change: 0 });
    expect(portrait(web)).toEqual(before);
  });

  it("does not list a resource whose step failed, and goes on listing what it had", async () => {
    const web = newNode();
    const one = { type: "file", path: "/etc/one", content: "1\n" };
    const two = { type: "file", path: "/etc/two", content: "2\n" };
    web.readOnly.add("/etc");
    expect((await over("apply", smallFleet({ app: app("keep", [one]) }), web)).outcomes).toEqual(["failed"]);
    expect(web.owned).toEqual([]);
    web.readOnly.clear();
    await over("apply", smallFleet({ app: app("keep", [one]) }), web);
    web.readOnly.add("/etc");
    const changed = { ...one, content: "other\n" };
    expect((await over("apply", smallFleet({ app: app("keep", [changed, two]) }), web)).outcomes).toEqual(["failed"]);
    expect(web.owned.map(({ id }) => id)).toEqual(["file:/etc/one"]);
  });

  it.each([
    ["a file to write", "file", { path: "/etc/evil", content: "x" }],
    ["a file that is not ours to remove", "file", { path: "/var/lib/rollcall/fence", state: "absent" }],
    ["a path in disguise", "file", { path: "/etc/../etc/passwd", state: "absent" }],
    ["the kernel's", "directory", { path: "/proc", state: "absent" }],
    ["a command", "command", { run: "reboot" }],
    ["a unit to start", "systemd_unit", { name: "evil.service", state: "started" }],
    ["a package to install", "package", { name: "evil" }],
    ["a word too many", "file", { path: "/etc/evil", state: "absent", run: "reboot" }],
  ] as const)("is not believed when it says %s", async (_what, type, removal) => {
    const web = await appNode("remove");
    const before = { ...portrait(web), owned: null };
    web.owned = [...web.owned, { role: "app", type, id: "x", removal }];
    const checked = await over("check", smallFleet({ host, app: app("remove") }), web);
    expect(checked.result.outcomes[0]?.message).toContain("1 entry is not rollcall's");
    await over("apply", smallFleet({ host, app: app("remove") }, ["host", "app"]), web);
    expect({ ...portrait(web), owned: null }).toEqual(before);
  });
});

function idOf(resource: object): string {
  const { type, name, path, creates } = resource as Record<string, string>;
  return `${type}:${name ?? path ?? creates}`;
}
