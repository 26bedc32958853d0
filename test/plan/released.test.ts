import { describe, expect, it } from "vitest";
import { rolesOf } from "../../src/desired/roles-of.ts";
import type { OwnedResource } from "../../src/model/owned-resource.ts";
import { ownedResource, releasedItems } from "../../src/plan/released.ts";
import { NODE, smallFleet } from "../engine/small-fleet.ts";

function rolesWith(...resources: object[]) {
  const state = smallFleet({ app: { resources } });
  const node = state.nodes.find(({ name }) => name === NODE);
  if (node === undefined) throw new Error("no node");
  return rolesOf(node, state);
}

function owned(resource: object, role = "was"): OwnedResource {
  const [declared] = rolesWith(resource).flatMap(({ resources }) => resources);
  const one = declared === undefined ? null : ownedResource({ ...declared, role });
  if (one === null) throw new Error("nothing to own");
  return one;
}

const file = (path: string, more: object = {}) => ({ type: "file", path, content: "x", ...more });
const folder = (path: string) => ({ type: "directory", path });
const unit = (more: object) => ({ type: "systemd_unit", name: "app.service", ...more });

describe("what is recorded", () => {
  it.each([
    ["a file", file("/etc/a", { mode: "0600", owner: "www" }), { path: "/etc/a", state: "absent" }],
    [
      "a secret's file",
      { type: "env", path: "/e", vars: { A: { secret_ref: "env:A" } } },
      { path: "/e", state: "absent" },
    ],
    ["a package", { type: "package", name: "tool", version: "1.10" }, { name: "tool", state: "absent" }],
    [
      "a service",
      unit({ state: "started", enabled: "true", user: "app" }),
      { name: "app.service", user: "app", state: "stopped", enabled: "false" },
    ],
    ["a service that may run at boot", unit({ state: "started" }), { name: "app.service", state: "stopped" }],
    ["a service that may be down", unit({ enabled: "true" }), { name: "app.service", enabled: "false" }],
    ["a command", { type: "command", run: "make it", creates: "/var/it" }, null],
  ])("is what it takes to remove it, and no more: %s", (_what, resource, removal) => {
    expect(owned(resource).removal).toEqual(removal);
  });
});

describe("what is released", () => {
  const one: readonly [string, object, object][] = [
    ["itself", file("/etc/a"), file("/etc/a")],
    ["other content and mode", file("/etc/a"), file("/etc/a", { content: "y", mode: "0600" })],
    ["another id", file("/etc/a"), file("/etc/a", { id: "moved" })],
    ["another type", file("/etc/a"), { type: "env", path: "/etc/a", vars: { A: "1" } }],
    ["absent", file("/etc/a"), { type: "file", path: "/etc/a", state: "absent" }],
    ["the other name of its folder", file("/lib/systemd/system/a.service"), file("/usr/lib/systemd/system/a.service")],
    ["and back", file("/usr/sbin/a"), file("/sbin/a")],
    ["what a command creates", file("/var/it"), { type: "command", run: "x", creates: "/var/it" }],
    ["one architecture of it", { type: "package", name: "libc6" }, { type: "package", name: "libc6:i386" }],
    ["the command", { type: "command", run: "x", creates: "/a" }, { type: "command", run: "y", creates: "/a" }],
    ["a file in it", folder("/etc/app"), file("/etc/app/sub/a")],
  ];
  it.each(one)("is not what is declared as %s", (_what, was, now) => {
    expect(releasedItems([owned(was)], rolesWith(now))).toMatchObject({ released: [], rejected: 0 });
  });

  const other: readonly [string, object, object][] = [
    ["another path", file("/etc/a"), file("/etc/ab")],
    ["the same id for another path", file("/etc/a", { id: "it" }), file("/etc/b", { id: "it" })],
    ["a folder that begins alike", folder("/etc/app"), file("/etc/application/a")],
    ["a file that is to be absent in it", folder("/etc/app"), { type: "file", path: "/etc/app/a", state: "absent" }],
    ["the unit of a user", unit({ state: "started" }), unit({ state: "started", user: "app" })],
    ["another command", { type: "command", run: "x", creates: "/a" }, { type: "command", run: "x", creates: "/b" }],
    ["a package that begins alike", { type: "package", name: "libc6" }, { type: "package", name: "libc6-dev" }],
  ];
  it.each(other)("is what stands beside %s", (_what, was, now) => {
    const record = owned(was);
    expect(releasedItems([record], rolesWith(now)).released.map((entry) => entry.owned)).toEqual([record]);
  });
});
