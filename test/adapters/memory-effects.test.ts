import { describe, expect, it } from "vitest";
import { answer } from "../../src/adapters/memory/answers.ts";
import { putFile } from "../../src/adapters/memory/debian-node.ts";
import { perform } from "../../src/adapters/memory/effects.ts";
import { putLink } from "../../src/adapters/memory/file-effects.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { repositoryPackage } from "../../src/adapters/memory/package-repository.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import type { EffectFailure } from "../../src/model/node-facts.ts";
import { asking, node, path, portrait, unit } from "./memory-fixture.ts";

const root = { owner: "root", group: "root" } as const;
const install = (name: string, version: string | null = null, repair = false): NodeEffect => {
  return { do: "install-package", name, version, repair };
};
const write = (at: string, text = "hello\n"): NodeEffect & { do: "write-file" } => {
  return { do: "write-file", path: at, content: textContent(text), mode: "0640", ...root };
};
const prober = unit("gyrum-prober.service");
const all = (of: MemoryNode, ...effects: NodeEffect[]): void => {
  for (const effect of effects) expect(perform(of, effect)).toBeNull();
};

/** One of every kind, in an order in which each has something to do. */
const EVERY_EFFECT: readonly NodeEffect[] = [
  install("gyrum-prober"),
  { do: "make-directory", path: "/etc/gyrum", mode: "0750", owner: "root", group: "gyrum" },
  { do: "note-pending", unit: prober, how: "restart", because: ["file:/etc/gyrum/prober.yaml"] },
  write("/etc/gyrum/prober.yaml"),
  { do: "set-mode", path: "/etc/gyrum/prober.yaml", mode: "0600" },
  { do: "set-owner", path: "/etc/gyrum/prober.yaml", owner: "root", group: "gyrum", mode: "0640" },
  { do: "reload-daemon", user: null },
  { do: "enable-unit", unit: prober },
  { do: "start-unit", unit: prober },
  { do: "restart-unit", unit: prober },
  { do: "reload-unit", unit: prober },
  { do: "clear-pending", unit: prober },
  { do: "run-command", run: "build the index", creates: "/var/lib/index/done" },
  { do: "stop-unit", unit: prober },
  { do: "disable-unit", unit: prober },
  { do: "remove-file", path: "/etc/gyrum/prober.yaml" },
  { do: "remove-directory", path: "/etc/gyrum" },
  { do: "remove-package", name: "gyrum-prober" },
];

describe("an effect", () => {
  it("has an example of every kind here", () => {
    const kinds: Record<NodeEffect["do"], true> = {
      "install-package": true,
      "remove-package": true,
      "write-file": true,
      "make-directory": true,
      "set-owner": true,
      "set-mode": true,
      "remove-file": true,
      "remove-directory": true,
      "reload-daemon": true,
      "enable-unit": true,
      "disable-unit": true,
      "start-unit": true,
      "stop-unit": true,
      "restart-unit": true,
      "reload-unit": true,
      "note-pending": true,
      "clear-pending": true,
      "run-command": true,
    };
    expect([...new Set(EVERY_EFFECT.map((effect) => effect.do))].sort()).toEqual(Object.keys(kinds).sort());
  });

  it.each(EVERY_EFFECT.map((effect, index) => [index, effect] as const))(
    "done twice is done once: %i %j",
    (index, effect) => {
      const once = node();
      const twice = node();
      for (const earlier of EVERY_EFFECT.slice(0, index)) all(twice, earlier);
      for (const earlier of EVERY_EFFECT.slice(0, index)) all(once, earlier);
      const before = portrait(once);
      all(once, effect);
      all(twice, effect, effect);
      expect(portrait(twice)).toEqual(portrait(once));
      const repeats = ["reload-daemon", "restart-unit", "reload-unit"].includes(effect.do);
      if (!repeats) expect(portrait(once)).not.toEqual(before);
    },
  );

  it("is read back", () => {
    const web = node();
    const facts = () => {
      const at = [path("/etc/gyrum/prober.yaml"), path("/etc/gyrum")];
      return answer(web, asking({ packages: ["gyrum-prober"], paths: at, units: [prober] }));
    };
    const file = () => facts().paths.get("/etc/gyrum/prober.yaml")?.found;
    const service = () => facts().units.get("gyrum-prober.service");
    expect(facts().packages.get("gyrum-prober")?.instances).toEqual([]);
    expect(service()).toMatchObject({ reachable: true, loadState: "not-found", activeState: "inactive" });

    const does = (kind: NodeEffect["do"]): void =>
      all(web, EVERY_EFFECT.find((effect) => effect.do === kind) as NodeEffect);
    does("install-package");
    expect(facts().packages.get("gyrum-prober")?.instances).toEqual([
      { architecture: "all", native: true, want: "install", flag: "ok", status: "installed", version: "1.0" },
    ]);
    expect(service()).toMatchObject({ loadState: "loaded", unitFileState: "disabled", type: "simple", hasRun: false });
    does("make-directory");
    expect(facts().paths.get("/etc/gyrum")?.found).toMatchObject({ type: "directory", group: "gyrum", empty: true });
    does("note-pending");
    expect(facts().pending.get("gyrum-prober.service")).toEqual({
      how: "restart",
      because: ["file:/etc/gyrum/prober.yaml"],
    });
    expect(file()).toBeNull();
    does("write-file");
    expect(file()).toMatchObject({
      type: "file",
      mode: "0640",
      group: "root",
      size: 6,
      sha256: textContent("hello\n").sha256,
    });
    does("set-mode");
    expect(file()?.mode).toBe("0600");
    does("set-owner");
    expect(file()).toMatchObject({ mode: "0640", owner: "root", group: "gyrum" });
    does("enable-unit");
    expect(service()).toMatchObject({ unitFileState: "enabled", activeState: "inactive", referenced: true });
    does("start-unit");
    expect(service()).toMatchObject({ activeState: "active", subState: "running", hasRun: true, activeForMs: 0 });
    does("stop-unit");
    expect(service()).toMatchObject({ activeState: "inactive", subState: "dead", activeForMs: null });
    does("clear-pending");
    expect(facts().pending.size).toBe(0);
    does("remove-file");
    does("remove-directory");
    expect(facts().paths.get("/etc/gyrum")?.found).toBeNull();
    does("remove-package");
    expect(facts().packages.get("gyrum-prober")?.instances).toEqual([]);
  });
});

describe("an effect that cannot be done", () => {
  const cases: readonly [EffectFailure, string, NodeEffect, ((of: MemoryNode) => void)?][] = [
    ["parent-missing", "no folder", write("/etc/nowhere/x")],
    ["parent-missing", "a file for a folder", write("/etc/hostname/x")],
    ["directory-in-the-way", "a directory", write("/etc/systemd")],
    ["link-in-the-way", "a link, dangling too", write("/etc/x"), (of) => putLink(of, "/etc/x", "/nowhere")],
    [
      "link-in-the-way",
      "a masked unit",
      write("/etc/systemd/system/x.service"),
      (of) => putLink(of, "/etc/systemd/system/x.service", "/dev/null"),
    ],
    ["no-such-owner", "a user that is not there", { ...write("/etc/x"), owner: "nobody-here" }],
    ["no-such-owner", "a group that is not there", { ...write("/etc/x"), group: "gyrum" }],
    ["read-only", "a read-only file system", write("/usr/bin/x"), (of) => of.readOnly.add("/usr")],
    [
      "disk-full",
      "no room",
      write("/etc/x"),
      (of) => {
        of.freeBytes = 5;
      },
    ],
    ["immutable", "an immutable file", write("/etc/hostname"), (of) => freeze(of, "/etc/hostname")],
    ["immutable", "an immutable folder", write("/srv/x"), (of) => freeze(of, "/srv")],
    [
      "immutable",
      "to remove, an immutable file",
      { do: "remove-file", path: "/etc/hostname" },
      (of) => freeze(of, "/etc/hostname"),
    ],
    ["directory-in-the-way", "to remove as a file, a directory", { do: "remove-file", path: "/srv" }],
    ["not-removable", "a directory that holds something", { do: "remove-directory", path: "/etc/systemd" }],
    ["special-in-the-way", "a file, to remove as a directory", { do: "remove-directory", path: "/etc/hostname" }],
    [
      "link-in-the-way",
      "a link, to remove as a directory",
      { do: "remove-directory", path: "/etc/x" },
      (of) => putLink(of, "/etc/x", "/srv"),
    ],
    [
      "special-in-the-way",
      "a file where a directory goes",
      { do: "make-directory", path: "/etc/hostname", mode: "0755", ...root },
    ],
    [
      "link-in-the-way",
      "the mode of a link",
      { do: "set-mode", path: "/etc/x", mode: "0600" },
      (of) => putLink(of, "/etc/x", "/srv"),
    ],
    ["write-failed", "the mode of nothing", { do: "set-mode", path: "/etc/x", mode: "0600" }],
    ["package-unknown", "a package nobody has", install("nowhere")],
    ["package-unknown", "a version nobody has", install("tool", "9")],
    ["package-unknown", "a version of a virtual package", install("mta", "1.0")],
    ["package-failed", "a package whose configuration fails", install("broken")],
    ["package-failed", "a dependency that nobody has", install("needs-nothing-there")],
    [
      "package-failed",
      "anything while another is half-configured",
      install("tool"),
      (of) => perform(of, install("broken")),
    ],
    ["package-held", "another version of a held package", install("tool", "1.2"), (of) => hold(of, "tool")],
    ["package-held", "removal of a held package", { do: "remove-package", name: "tool" }, (of) => hold(of, "tool")],
    ["would-remove-others", "a package in conflict", install("anti-tool"), (of) => all(of, install("tool"))],
    [
      "would-remove-others",
      "removal of what another needs",
      { do: "remove-package", name: "tool" },
      (of) => all(of, install("needs-tool")),
    ],
    [
      "dpkg-busy",
      "an apt at work",
      install("tool"),
      (of) => {
        of.dpkgLocked = true;
      },
    ],
    ["unit-failed", "a unit nobody has", { do: "start-unit", unit: unit("x.service") }],
    [
      "unit-masked",
      "a masked unit",
      { do: "start-unit", unit: unit("x.service") },
      (of) => putLink(of, "/etc/systemd/system/x.service", "/dev/null"),
    ],
    [
      "unit-masked",
      "enabling a masked unit",
      { do: "enable-unit", unit: unit("x.service") },
      (of) => putLink(of, "/etc/systemd/system/x.service", "/dev/null"),
    ],
    [
      "unit-failed",
      "a template without an instance",
      { do: "start-unit", unit: unit("x@.service") },
      (of) => putFile(of, "/etc/systemd/system/x@.service", "[Service]\nExecStart=/bin/x\n"),
    ],
    [
      "unit-failed",
      "a service without its environment file",
      { do: "start-unit", unit: unit("x.service") },
      (of) => putFile(of, "/etc/systemd/system/x.service", "[Service]\nExecStart=/bin/x\nEnvironmentFile=/etc/x\n"),
    ],
    [
      "unit-failed",
      "a oneshot that fails",
      { do: "start-unit", unit: unit("x.service") },
      (of) => putFile(of, "/etc/systemd/system/x.service", "[Service]\nType=oneshot\nExecStart=/bin/false\n"),
    ],
    [
      "unit-failed",
      "a service without a command",
      { do: "start-unit", unit: unit("x.service") },
      (of) => putFile(of, "/etc/systemd/system/x.service", "[Unit]\nDescription=x\n"),
    ],
    ["manager-unreachable", "a user without a session", { do: "start-unit", unit: unit("x.service", "www-data") }],
    [
      "command-failed",
      "a command that fails",
      { do: "run-command", run: "x", creates: null },
      (of) => of.commands.set("x", { exitCode: 3, output: "" }),
    ],
  ];

  it.each(cases)("%s: %s", (code, _what, effect, prepare) => {
    const web = node();
    prepare?.(web);
    const before = portrait(web);
    expect(perform(web, effect)).toMatchObject({ code, detail: expect.stringMatching(/./) });
    const leavesTraces = effect.do === "install-package" || effect.do === "start-unit";
    if (!leavesTraces) expect(portrait(web)).toEqual(before);
  });

  it("leaves a package half-configured, until its repair", () => {
    const web = node();
    perform(web, install("broken"));
    expect(answer(web, asking({ packages: ["broken"] })).packages.get("broken")?.instances).toMatchObject([
      { want: "install", status: "half-configured" },
    ]);
    web.repository = [...web.repository, repositoryPackage({ name: "broken", version: "1.1" })];
    all(web, install("broken", null, true));
    expect(answer(web, asking({ packages: ["broken"] })).packages.get("broken")?.instances).toMatchObject([
      { status: "installed" },
    ]);
  });
});

function freeze(of: MemoryNode, at: string): void {
  const entry = of.files.get(at);
  if (entry === undefined) throw new Error(`${at} is not there`);
  of.files.put(at, { ...entry, immutable: true });
}

function hold(of: MemoryNode, name: string): void {
  all(of, install(name));
  for (const [key, one] of of.packages) if (one.name === name) of.packages.set(key, { ...one, want: "hold" });
}
