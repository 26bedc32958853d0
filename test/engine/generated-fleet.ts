import fc from "fast-check";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import { perform } from "../../src/adapters/memory/effects.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import { REPOSITORY } from "../adapters/memory-fixture.ts";
import { FLEET, textFiles } from "../desired/text-files.ts";

/**
 * A fleet of one base role and one role that requires it, with a resource of every type and what makes a rollout hard:
 * versions up and down, a service from a package and one from a file of ours, restarts and reloads that files of either
 * role make due. All of it can be satisfied on a node of {@link newNode}, in any order of history.
 */
export interface FleetSpec {
  readonly tool: "absent" | "present" | "1.2" | "1.10";
  readonly shared: FileSpec;
  readonly prober: { readonly state: "started" | "stopped"; readonly enabled: boolean; readonly config: FileSpec };
  readonly app: {
    readonly unit: "simple" | "oneshot";
    readonly state: "started" | "stopped";
    readonly enabled: boolean;
    readonly config: FileSpec;
    readonly dropIn: FileSpec | null;
    readonly listens: "restart_on" | "reload_on";
  };
}

interface FileSpec {
  readonly text: string;
  readonly mode: "0640" | "0644";
}

const text = fc.constantFrom("A=one\n", "A=two\n", "");
const fileSpec: fc.Arbitrary<FileSpec> = fc.record({ text, mode: fc.constantFrom("0640", "0644") });
const state = fc.constantFrom("started", "stopped");

export const fleetSpec: fc.Arbitrary<FleetSpec> = fc.record({
  tool: fc.constantFrom("absent", "present", "1.2", "1.10"),
  shared: fileSpec,
  prober: fc.record({ state, enabled: fc.boolean(), config: fileSpec }),
  app: fc.record({
    unit: fc.constantFrom("simple", "oneshot"),
    state,
    enabled: fc.boolean(),
    config: fileSpec,
    dropIn: fc.option(fileSpec),
    listens: fc.constantFrom("restart_on", "reload_on"),
  }),
});

const UNIT_TEXT = {
  simple: "[Service]\nExecStart=/bin/app\nExecReload=/bin/app-reload\n",
  oneshot: "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/app\nExecReload=/bin/app-reload\n",
};

export const APP_FILES = [
  "/etc/systemd/system/app.service",
  "/etc/systemd/system/app.service.d/more.conf",
  "/etc/shared.env",
  "/etc/app/app.conf",
];
export const PROBER_FILES = ["/etc/prober.yaml"];
export const NODES = ["web-01", "web-02"];

const loadedOnce = new Map<string, DesiredState>();

/** Through the files of a repository, as a person would write them. */
export function desired(spec: FleetSpec): DesiredState {
  const key = JSON.stringify(spec);
  const state = loadedOnce.get(key) ?? load(spec);
  loadedOnce.set(key, state);
  return state;
}

function load(spec: FleetSpec): DesiredState {
  const { tool, shared, prober, app } = spec;
  const file = (path: string, { text: content, mode }: FileSpec) => ({ type: "file", path, content, mode });
  const version = tool === "1.2" || tool === "1.10" ? { version: tool } : {};
  const host = [
    { type: "package", name: "tool", state: tool === "absent" ? "absent" : "present", ...version },
    { type: "env", path: "/etc/shared.env", vars: { A: shared.text.trim() }, mode: shared.mode },
  ];
  const unitText = `${UNIT_TEXT[app.unit]}EnvironmentFile=/etc/shared.env\n[Install]\nWantedBy=multi-user.target\n`;
  const absent = { type: "file", path: "/etc/systemd/system/app.service.d/more.conf", state: "absent" };
  const dropIn = app.dropIn === null ? absent : file(absent.path, { ...app.dropIn, text: `# ${app.dropIn.text}` });
  const listens = (id: string, how: string) => ({ [how]: [id] });
  const web = [
    { type: "package", name: "gyrum-prober" },
    file("/etc/prober.yaml", prober.config),
    {
      type: "systemd_unit",
      name: "gyrum-prober.service",
      state: prober.state,
      enabled: String(prober.enabled),
      ...(prober.state === "started" ? listens("file:/etc/prober.yaml", "restart_on") : {}),
    },
    file("/etc/systemd/system/app.service", { text: unitText, mode: "0644" }),
    { type: "directory", path: "/etc/systemd/system/app.service.d" },
    dropIn,
    { type: "directory", path: "/etc/app", mode: app.config.mode === "0640" ? "0750" : "0755" },
    file("/etc/app/app.conf", app.config),
    { type: "command", run: "build the index", creates: "/etc/app/index" },
    {
      type: "systemd_unit",
      name: "app.service",
      state: app.state,
      enabled: String(app.enabled),
      unit_file: "/etc/systemd/system/app.service",
      ...(app.state === "started" ? listens("file:/etc/app/app.conf", app.listens) : {}),
    },
  ];
  const manifest = (role: string, requires: readonly string[], resources: readonly object[]) =>
    JSON.stringify({ role, version: "1", description: "Generated.", requires, resources });
  const nodes = NODES.map((name) => [
    `roster/nodes/${name}.yaml`,
    JSON.stringify({ name, class: "server", address: "192.0.2.1", roles: ["web"] }),
  ]);
  const loaded = loadDesired(
    textFiles({
      "roster/fleet.yaml": FLEET,
      ...Object.fromEntries(nodes),
      "host-roles/host.yaml": manifest("host", [], host),
      "host-roles/web.yaml": manifest("web", ["host"], web),
    }),
  );
  if (loaded.state === null) throw new Error(`not valid: ${JSON.stringify(loaded.diagnostics, null, 1)}`);
  return loaded.state;
}

export function newNode(name: string): MemoryNode {
  const node = debianNode({ name, repository: REPOSITORY });
  node.journal = [];
  return node;
}

/** All of them units that can be loaded: see known-limits.test.ts for the others. */
const tamperedText = fc.constantFrom(
  "[Service]\nExecStart=/bin/a\n",
  "[Service]\nExecStart=/bin/b\n[Install]\nAlias=b.service\n",
);

/** What people and other programs do to nodes behind our back. */
export const tampering: fc.Arbitrary<readonly NodeEffect[]> = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("write-file" as const),
      path: fc.constantFrom(...APP_FILES, ...PROBER_FILES),
      content: tamperedText.map(textContent),
      mode: fc.constantFrom("0600", "0644"),
      owner: fc.constantFrom("root", "www-data"),
      group: fc.constant("root"),
    }),
    fc.record({ do: fc.constant("remove-file" as const), path: fc.constantFrom(...APP_FILES, ...PROBER_FILES) }),
    fc.record({
      do: fc.constantFrom("start-unit" as const, "stop-unit" as const, "enable-unit" as const, "disable-unit" as const),
      unit: fc.constantFrom("app.service", "gyrum-prober.service").map((name) => ({ name, user: null })),
    }),
    fc.record({ do: fc.constantFrom("remove-package" as const), name: fc.constantFrom("tool", "gyrum-prober") }),
    fc.record({ do: fc.constant("reload-daemon" as const), user: fc.constant(null) }),
  ),
  { maxLength: 4 },
);

/** Effects that were done by others: nobody owes a restart for them. */
export const doneByOthers = new WeakSet<NodeEffect>();

export function tamper(node: MemoryNode, effects: readonly NodeEffect[]): void {
  for (const effect of effects) {
    doneByOthers.add(effect);
    perform(node, effect);
  }
}
