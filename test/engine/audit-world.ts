import { expect } from "vitest";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import type { Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryRefs, snapshot } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import { auditExit, auditStanding } from "../../src/commands/audit.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { apply } from "../../src/engine/apply.ts";
import { audit } from "../../src/engine/audit.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import type { Marker } from "../../src/model/marker.ts";
import { nodeStatePath } from "../../src/model/observed-layout.ts";
import { roleNodeDigest } from "../../src/plan/node-digest.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import { nodeStateText } from "../../src/plan/record-files.ts";
import type { Recheck } from "../../src/ports.ts";
import { renderAudit } from "../../src/render/audit.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "./given-secrets.ts";
import { runContext } from "./run-in-memory.ts";

export const NAMES = ["a", "b", "c"];
export const NOW = "2026-11-30T10:00:00Z";
export const DAY = 86_400_000;

interface Desired {
  readonly fleet?: Readonly<Record<string, unknown>>;
  readonly nodes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly role?: Readonly<Record<string, unknown>>;
  readonly content?: string;
}

export function desired({ fleet = {}, nodes = {}, role = {}, content = "one\n" }: Desired = {}): DesiredState {
  const files: Record<string, string> = {
    "roster/fleet.yaml": JSON.stringify({ version: "2", generation: "7", ...fleet }),
    "host-roles/web.yaml": JSON.stringify({
      role: "web",
      version: "1",
      description: "Test.",
      resources: [{ type: "file", path: "/etc/site", content }],
      ...role,
    }),
  };
  for (const [index, name] of NAMES.entries()) {
    const own = { name, class: "server", address: `192.0.2.${index + 1}`, roles: ["web"], ...nodes[name] };
    files[`roster/nodes/${name}.yaml`] = JSON.stringify(own);
  }
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(JSON.stringify(diagnostics));
  return state;
}

/** Three nodes that are as declared, and the record that they proved it. */
export class World {
  readonly fleet = new Map<string, MemoryNode>(NAMES.map((name) => [name, debianNode({ name })]));
  readonly refs = new MemoryRefs();
  now = new Date(NOW);
  readonly lines: string[] = [];
  passes = false;

  static async proved(state = desired()): Promise<World> {
    const world = new World();
    const works = state.nodes.map((node) => nodeWork(state, node, null, givenSecrets()));
    const { outcomes } = await apply(works, runContext(new MemoryTransport(world.fleet)), { dryRun: false });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["converged", "converged", "converged"]);
    const files = new Map<string, string>();
    for (const node of state.nodes) {
      const id = world.fleet.get(node.name)?.files.get("/etc/machine-id");
      const machine_id = id?.type === "file" ? id.content.sha256 : null;
      const role = state.roles.get("web");
      if (role === undefined) throw new Error("no role");
      const marker: Marker = {
        unit: "role:web",
        digest: roleNodeDigest(role, node),
        unit_digest: role.digest,
        version: 1,
        machine_id,
        at: NOW,
        run_id: "run-0",
        commit: null,
        verify_exit: 0,
        grade: "transition",
        evidence: "",
        resources: [],
      };
      files.set(nodeStatePath(node.name), nodeStateText({ v: 1, node: node.name, machine_id, markers: [marker] }));
    }
    world.refs.observed = { files, commits: [{ id: "1".padStart(40, "0"), subject: "x", paths: [] }] };
    return world;
  }

  change(node: string, text: string): void {
    const files = this.fleet.get(node)?.files;
    const entry = files?.get("/etc/site");
    if (entry?.type !== "file") throw new Error(`${node} has no site`);
    files?.put("/etc/site", { ...entry, content: textContent(text) });
  }

  async audit(
    state = desired(),
    more: {
      faults?: readonly Fault[];
      store?: readonly StoreFault[];
      merged?: boolean;
      git?: boolean;
      only?: string[];
    } = {},
  ) {
    const clock = { now: () => this.now };
    const recheck: Recheck = {
      run: async (line) => {
        this.lines.push(line);
        return { passed: this.passes, message: this.passes ? "exit 0" : "exit 1: no" };
      },
    };
    const run = { ...runContext(new MemoryTransport(this.fleet, more.faults)), clock };
    const chosen = state.nodes.filter(({ name }) => more.only?.includes(name) ?? true);
    const works = chosen.map((node) => nodeWork(state, node, null, givenSecrets()));
    const main =
      more.merged === false ? { is: false as const, why: "HEAD is not on main" } : { is: true as const, recheck };
    const store = more.git === false ? null : new MemoryStore(this.refs, clock, more.store);
    const result = await audit(works, run, { state, store, main });
    const came = auditStanding(works, result);
    const view = { classOf: () => "server", leftOut: { nodes: [], roles: [] } };
    return {
      ...result,
      ...came,
      exit: auditExit(came, result),
      text: renderAudit({ ...result, ...came, generation: 7 }, view, PLAIN),
    };
  }

  get record() {
    return readRecord(snapshot(this.refs.observed), snapshot(this.refs.live));
  }
}

export const findings = (list: readonly { node: string; item: { resource: { id: string } } }[]) =>
  list.map(({ node, item }) => `${node} ${item.resource.id}`);
export const away = (node: string): Fault => ({ node, fault: "unreachable" });
