import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import type { Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryRefs, snapshot } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { applyRecorded } from "../../src/engine/apply-recorded.ts";
import { Ledger } from "../../src/engine/ledger.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import { textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "./given-secrets.ts";
import { runContext } from "./run-in-memory.ts";

/** Three servers and a desktop: the canary is a server, the second look the desktop. */
const CLASSES = { a: "server", b: "server", c: "server", d: "desktop" };
export const NAMES = Object.keys(CLASSES);
export const COMMIT = "c".repeat(40);
const SITE = "/etc/site";

export function desired(
  content: string,
  { nodes = {}, risk = "risky" }: { nodes?: Readonly<Record<string, object>>; risk?: string } = {},
): DesiredState {
  const role = (name: string, path: string, text: string, of: string) =>
    JSON.stringify({
      role: name,
      version: "1",
      description: "Test.",
      risk: of,
      resources: [{ type: "file", path, content: text }],
    });
  const files: Record<string, string> = {
    "roster/fleet.yaml": JSON.stringify({ version: "2", generation: "7" }),
    "host-roles/base.yaml": role("base", "/etc/base", "base\n", "safe"),
    "host-roles/web.yaml": role("web", SITE, content, risk),
  };
  for (const [index, [name, ofClass]] of Object.entries(CLASSES).entries()) {
    const own = {
      name,
      class: ofClass,
      address: `192.0.2.${index + 1}`,
      roles: ["base", "web"],
      ...nodes[name as "a"],
    };
    files[`roster/nodes/${name}.yaml`] = JSON.stringify(own);
  }
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(JSON.stringify(diagnostics));
  return state;
}

export class World {
  readonly fleet = new Map<string, MemoryNode>(NAMES.map((name) => [name, debianNode({ name })]));
  readonly refs = new MemoryRefs();

  async apply(
    state: DesiredState,
    names: readonly string[] = NAMES,
    more: {
      faults?: readonly Fault[];
      store?: readonly StoreFault[];
      named?: boolean;
      commit?: null;
      roles?: string[];
    } = {},
  ) {
    const run = runContext(new MemoryTransport(this.fleet, more.faults));
    const store = new MemoryStore(this.refs, run.clock, more.store);
    const answer = await store.lock({ holder: "t", runId: run.runId, leaseMs: 600_000, takeOver: null });
    if (answer.kind === "refused") throw new Error(answer.message);
    const { lock } = answer;
    const context = {
      runId: run.runId,
      actor: "t",
      clock: run.clock,
      secrets: givenSecrets(),
      lock,
      nodes: new Set(NAMES),
    };
    const only = more.roles === undefined ? null : new Set(more.roles);
    const chosen = state.nodes.filter(({ name }) => names.includes(name));
    const works = chosen.map((node) => nodeWork(state, node, only, givenSecrets()));
    const result = await applyRecorded(
      {
        state,
        secrets: givenSecrets(),
        works,
        named: new Set(more.named === true ? names : []),
        commit: more.commit === null ? null : COMMIT,
        actor: "t",
        ledger: await Ledger.open(store, context),
      },
      { ...run, lock },
    );
    await lock.release();
    return result;
  }

  async applied(...words: Parameters<World["apply"]>) {
    const result = await this.apply(...words);
    if (result.kind === "refused") throw new Error("refused");
    return { ...result, said: result.outcomes.map(({ node, outcome }) => `${node} ${outcome}`) };
  }

  site(node: string, path = SITE): string | null {
    const entry = this.fleet.get(node)?.files.get(path);
    return entry?.type === "file" ? new TextDecoder().decode(entry.content.bytes()) : null;
  }

  get sites(): readonly (string | null)[] {
    return NAMES.map((name) => this.site(name));
  }

  byHand(node: string, text: string, path = SITE): void {
    const files = this.fleet.get(node)?.files;
    const entry = files?.get(path);
    if (entry?.type !== "file") throw new Error(`${node} has no ${path}`);
    files?.put(path, { ...entry, content: textContent(text) });
  }

  get record() {
    return readRecord(snapshot(this.refs.observed), snapshot(this.refs.live));
  }

  marker(node: string, unit = "role:web") {
    return this.record.states.get(node)?.markers.find((one) => one.unit === unit);
  }

  /** `wave-started 0`, `node-succeeded a`, … of the newest rollout of the role. */
  events(unit = "role:web"): readonly string[] {
    const logs = [...this.record.rollouts].filter(([id]) => id.startsWith(`${unit}@`));
    return logs.flatMap(([, events]) =>
      events.flatMap((one) =>
        "node" in one ? `${one.event} ${one.node}` : "wave" in one ? `${one.event} ${one.wave}` : [],
      ),
    );
  }
}

export const fails = (node: string): Fault => ({ node, fault: "unreachable", on: { kind: "change" } });
