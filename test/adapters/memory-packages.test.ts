import { describe, expect, it } from "vitest";
import { answer } from "../../src/adapters/memory/answers.ts";
import { debianNode, putFile } from "../../src/adapters/memory/debian-node.ts";
import { perform } from "../../src/adapters/memory/effects.ts";
import { putLink } from "../../src/adapters/memory/file-effects.ts";
import { FileTree } from "../../src/adapters/memory/file-tree.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { repositoryPackage } from "../../src/adapters/memory/package-repository.ts";
import { contentText, textContent } from "../../src/adapters/memory/text-content.ts";
import { asking, node, PROBER_UNIT, path, REPOSITORY, unit } from "./memory-fixture.ts";

const install = (of: MemoryNode, name: string, version: string | null = null) =>
  perform(of, { do: "install-package", name, version, repair: false });
const remove = (of: MemoryNode, name: string) => perform(of, { do: "remove-package", name });
const fact = (of: MemoryNode, name: string) => answer(of, asking({ packages: [name] })).packages.get(name);
const text = (of: MemoryNode, at: string) => {
  const entry = of.files.follow(at);
  return entry?.type === "file" ? contentText(entry.content) : undefined;
};

describe("packages of a node in memory", () => {
  it("are the newest, or the version asked for, up and down", () => {
    const web = node();
    for (const [version, expected] of [
      [null, "1.10"],
      ["1.2", "1.2"],
      [null, "1.2"],
      ["1.10", "1.10"],
    ] as const) {
      expect(install(web, "tool", version)).toBeNull();
      expect(fact(web, "tool")?.instances.map((one) => one.version)).toEqual([expected]);
    }
  });

  it("keep a conffile that was edited, replace one that was not, and leave it when removed", () => {
    const web = node();
    install(web, "conf", "1.0");
    install(web, "conf", "2.0");
    expect(text(web, "/etc/conf.conf")).toBe("two\n");
    putFile(web, "/etc/conf.conf", "mine\n");
    install(web, "conf", "1.0");
    expect(text(web, "/etc/conf.conf")).toBe("mine\n");
    expect(remove(web, "conf")).toBeNull();
    expect(fact(web, "conf")?.instances).toMatchObject([{ want: "deinstall", flag: "ok", status: "config-files" }]);
    expect(text(web, "/etc/conf.conf")).toBe("mine\n");
    expect(remove(web, "conf")).toBeNull();
    expect(install(web, "conf")).toBeNull();
    expect(fact(web, "conf")?.instances).toMatchObject([{ want: "install", status: "installed", version: "2.0" }]);
    expect(text(web, "/etc/conf.conf")).toBe("mine\n");
  });

  it("bring what they depend on", () => {
    const web = node();
    expect(install(web, "needs-tool")).toBeNull();
    expect(fact(web, "tool")?.instances).toHaveLength(1);
  });

  it("stand for the virtual names that they provide", () => {
    const web = node();
    expect(fact(web, "mta")).toEqual({ instances: [], providedBy: [] });
    expect(install(web, "mta")).toBeNull();
    expect(fact(web, "mta")).toEqual({ instances: [], providedBy: ["mta-a"] });
  });

  it("are two when the architectures are, and are told apart by who asked", () => {
    const web = node();
    install(web, "arch");
    expect(fact(web, "arch")?.instances).toMatchObject([{ architecture: "amd64", native: true }]);
    install(web, "arch:i386");
    expect(fact(web, "arch")?.instances).toMatchObject([{ native: true }, { architecture: "i386", native: false }]);
    expect(fact(web, "arch:i386")).toEqual(fact(web, "arch"));
    expect(remove(web, "arch")).toBeNull();
    expect(fact(web, "arch")?.instances).toMatchObject([{ architecture: "i386" }]);
  });

  it("stay held through what does not change them", () => {
    const web = node();
    install(web, "tool", "1.2");
    const held = web.packages.get("tool:all");
    if (held === undefined) throw new Error("not installed");
    web.packages.set("tool:all", { ...held, want: "hold" });
    expect(install(web, "tool")).toBeNull();
    expect(install(web, "tool", "1.2")).toBeNull();
    expect(fact(web, "tool")?.instances).toMatchObject([{ want: "hold", flag: "ok", status: "installed" }]);
  });

  it("start the units that they say, and stop them when they go", () => {
    const starts = ["gyrum-prober.service"];
    const files = [
      {
        path: "/lib/systemd/system/gyrum-prober.service",
        content: textContent(PROBER_UNIT),
        mode: "0644",
        conffile: false,
      },
    ];
    const repository = [repositoryPackage({ name: "eager", version: "1", starts, files })];
    const web = debianNode({ name: "web", repository, installed: ["eager"] });
    const prober = () =>
      answer(web, asking({ units: [unit("gyrum-prober.service")] })).units.get("gyrum-prober.service");
    expect(prober()).toMatchObject({ activeState: "active", unitFileState: "enabled" });
    remove(web, "eager");
    expect(prober()).toMatchObject({ activeState: "inactive", needDaemonReload: true });
    perform(web, { do: "reload-daemon", user: null });
    expect(prober()).toMatchObject({ activeState: "inactive", loadState: "not-found" });
  });
});

describe("a new node", () => {
  it("is the same for the same seed, and another machine for another name", () => {
    const id = (name: string) => answer(debianNode({ name, repository: REPOSITORY }), asking({})).identity.machineId;
    expect(id("a")).toMatch(/^[0-9a-f]{64}$/);
    expect([id("a"), id("b")]).toEqual([id("a"), id("b")]);
    expect(id("a")).not.toBe(id("b"));
  });

  it("may have anything on it", () => {
    const web = debianNode({ name: "web", files: { "/srv/a/b": "c" }, users: ["ann"], groups: ["crew"] });
    expect(perform(web, { do: "set-owner", path: "/srv/a/b", owner: "ann", group: "crew", mode: "0600" })).toBeNull();
    expect(() => debianNode({ name: "web", installed: ["nothing"] })).toThrow("no package nothing");
  });
});

describe("the file tree", () => {
  it("follows links in folders, not at the end", () => {
    const web = node();
    putFile(web, "/srv/data/x", "x");
    putLink(web, "/etc/data", "../srv/./data");
    putLink(web, "/etc/loop", "loop");
    expect(web.files.get("/etc/data")).toMatchObject({ type: "link" });
    expect(text(web, "/etc/data/x")).toBe("x");
    expect(web.files.get("/etc/loop/x")).toBeUndefined();
    expect(web.files.follow("/etc/loop")).toBeUndefined();
    const facts = answer(web, asking({ paths: [path("/etc/data"), path("/etc/data/x"), path("/etc/hostname/x")] }));
    expect([...facts.paths.values()].map((fact) => fact.found?.type)).toEqual(["link", "file", undefined]);
    web.files.remove("/etc/data");
    expect(text(web, "/etc/data/x")).toBeUndefined();
  });

  it("lists a folder's own names", () => {
    const tree = new FileTree();
    const folder = { type: "directory", mode: "0755", owner: "root", group: "root", immutable: false } as const;
    for (const at of ["/b", "/a", "/a/x", "/a/x/y"]) tree.put(at, folder);
    expect([tree.list("/"), tree.list("/a"), tree.list("/b")]).toEqual([["a", "b"], ["x"], []]);
  });
});
