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
import { asking, node, portrait, unit } from "./memory-fixture.ts";

const root = { owner: "root", group: "root" } as const;
const install = (name: string, version: string | null = null, repair = false): NodeEffect => {
  return { do: "install-package", name, version, repair };
};
const write = (at: string, text = "hello\n"): NodeEffect & { do: "write-file" } => {
  return { do: "write-file", path: at, content: textContent(text), mode: "0640", ...root };
};
const _prober = unit("gyrum-prober.service");
const all = (of: MemoryNode, ...effects: NodeEffect[]): void => {
  for (const effect of effects) expect(perform(of, effect)).toBeNull();
};

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
