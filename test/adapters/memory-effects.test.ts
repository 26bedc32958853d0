import { describe, expect, it } from "vitest";
import { answer } from "../../src/adapters/memory/answers.ts";
import { perform } from "../../src/adapters/memory/effects.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
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
