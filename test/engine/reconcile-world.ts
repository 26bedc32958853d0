import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import { ControllerKilled, type Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { committed, MemoryRefs } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { Ledger } from "../../src/engine/ledger.ts";
import { type ReconcileRequest, type ReconcileResult, reconcile } from "../../src/engine/reconcile.ts";
import { RoleDriver } from "../../src/engine/role-driver.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import type { ChangeRequest } from "../../src/model/node-effect.ts";
import { liveReportPath } from "../../src/model/observed-layout.ts";
import type { RolloutEventBody } from "../../src/model/rollout-event.ts";
import { foldRollout } from "../../src/plan/fold-rollout.ts";
import type { ObservedRecord } from "../../src/plan/observed-record.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import { nodeReportText } from "../../src/plan/record-files.ts";
import type { Rollout } from "../../src/plan/rollout.ts";
import type { HeldLock, ProgressEvent, Transport } from "../../src/ports.ts";
import { REPOSITORY } from "../adapters/memory-fixture.ts";
import { textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "./given-secrets.ts";

export interface FleetText {
  readonly fleet?: Readonly<Record<string, unknown>>;
  /** Name → what its file says beside name and address. */
  readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Name → what its manifest says beside its name. */
  readonly roles: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Through the files of a repository, as a person would write them; what is declared must be valid. */
export function desiredFleet({ fleet = {}, nodes, roles }: FleetText): DesiredState {
  const files: Record<string, string> = {
    "roster/fleet.yaml": JSON.stringify({ version: "2", generation: "42", ...fleet }),
  };
  for (const [name, more] of Object.entries(nodes))
    files[`roster/nodes/${name}.yaml`] = JSON.stringify({ name, class: "server", address: "192.0.2.1", ...more });
  for (const [role, more] of Object.entries(roles))
    files[`host-roles/${role}.yaml`] = JSON.stringify({
      role,
      version: "1",
      description: "Test.",
      requires: [],
      ...more,
    });
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(`not valid: ${JSON.stringify(diagnostics, null, 1)}`);
  return state;
}

export const file = (path: string, content: string, more: object = {}) => ({ type: "file", path, content, ...more });

/** What one run is given beside the world. */
export interface RunSettings extends Partial<Omit<ReconcileRequest, "state" | "ledger" | "driver">> {
  readonly faults?: readonly Fault[];
  readonly storeFaults?: readonly StoreFault[];
  /** Why the lock is taken from who has it. */
  readonly takeOver?: string;
  /** Called with every node, before it is changed. */
  readonly beforeChange?: (node: string) => void | Promise<void>;
  readonly onChange?: (node: string, request: ChangeRequest) => void;
  readonly runId?: string;
}

export interface Ran {
  readonly result: ReconcileResult;
  readonly store: MemoryStore;
  readonly progress: readonly ProgressEvent[];
  readonly calls: (node: string) => { readonly observe: number; readonly change: number };
}

let runs = 0;

/** Machines, refs and a clock that outlive every run. */
export class World {
  readonly refs = new MemoryRefs();
  readonly nodes = new Map<string, MemoryNode>();
  readonly secrets;
  nowMs = Date.parse("2026-12-01T10:00:00Z");

  constructor(names: readonly string[], secrets: Readonly<Record<string, string>> = {}) {
    for (const name of names) this.add(name);
    this.secrets = givenSecrets(secrets);
  }

  add(name: string): MemoryNode {
    const node = debianNode({ name, repository: REPOSITORY });
    node.journal = [];
    this.nodes.set(name, node);
    return node;
  }

  node(name: string): MemoryNode {
    const node = this.nodes.get(name);
    if (node === undefined) throw new Error(`${name} is not there`);
    return node;
  }

  readonly clock = { now: () => new Date(this.nowMs) };

  get record(): ObservedRecord {
    const files = ({ files: of, commits }: MemoryRefs["observed"]) => ({
      commit: commits.at(-1)?.id ?? null,
      paths: [...of.keys()].sort(),
      read: (path: string) => of.get(path),
    });
    return readRecord(files(this.refs.observed), files(this.refs.live));
  }

  rollouts(unit: string): readonly Rollout[] {
    return [...this.record.rollouts.values()]
      .flatMap((events) => foldRollout(events) ?? [])
      .filter((one) => one.unit === unit);
  }

  /** The only rollout of a unit that is not superseded. */
  rollout(unit: string): Rollout {
    const standing = this.rollouts(unit).filter(({ state }) => state !== "superseded");
    if (standing.length !== 1 || standing[0] === undefined) throw new Error(`${standing.length} rollouts of ${unit}`);
    return standing[0];
  }

  /** What an audit would have found: a resource of the node is gone. */
  losesProof(node: string, unit: string, path: string): void {
    const report = this.record.reports.get(node);
    if (report === undefined) throw new Error(`${node} was never read`);
    const item = {
      ...{ host: node, role: unit.slice("role:".length), resource: { type: "file" as const, id: `file:${path}` } },
      ...{
        declared: { path },
        observed: null,
        action_to_apply: { verb: "write" as const },
        severity: "drift" as const,
      },
    };
    const written = new Map([[liveReportPath(node), nodeReportText({ ...report, items: [item] })]]);
    this.refs.live = committed(this.refs.live, written, "an audit");
  }

  /** What an operator tells the rollout, from another machine. */
  async signal(unit: string, body: RolloutEventBody, digest = this.rollout(unit).digest): Promise<void> {
    const store = new MemoryStore(this.refs, this.clock);
    const context = {
      ...{ runId: `signal-${++runs}`, actor: "octocat", clock: this.clock, secrets: this.secrets },
      lock: null,
      nodes: new Set(this.nodes.keys()),
    };
    const ledger = await Ledger.open(store, context);
    ledger.append(unit, digest, body);
    await ledger.flush("chore: a signal");
  }

  /** One controller from taking the lock to letting it go; a killed one throws, and its lock stays until it is known to be dead. */
  async reconcile(state: DesiredState, settings: RunSettings = {}): Promise<Ran> {
    const {
      faults = [],
      storeFaults = [],
      takeOver = null,
      beforeChange,
      onChange,
      runId = `run-${++runs}`,
      ...request
    } = settings;
    const store = new MemoryStore(this.refs, this.clock, storeFaults);
    const transport = new Controlled(new MemoryTransport(this.nodes, faults), store, { beforeChange, onChange });
    const progress: ProgressEvent[] = [];
    try {
      const answer = await store.lock({ holder: `holder of ${runId}`, runId, leaseMs: 600_000, takeOver });
      if (answer.kind === "refused") throw new Error(`${answer.code}: ${answer.message}`);
      const run = this.#context(runId, transport, answer.lock, progress);
      const nodes = new Set(state.nodes.filter((node) => node.state === "active").map(({ name }) => name));
      const actor = settings.actor ?? "octocat";
      const ledger = await Ledger.open(store, {
        ...{ runId, actor, clock: this.clock, secrets: this.secrets, lock: answer.lock },
        nodes,
      });
      const driver = new RoleDriver({ state, secrets: this.secrets, record: ledger.record });
      const commit = "c".repeat(40);
      const defaults = { commit, actor, budgetMs: null, marksReconciled: true };
      const result = await reconcile({ ...defaults, ...request, state, ledger, driver }, run);
      await answer.lock.release();
      return { result, store, progress, calls: (node) => transport.inner.calls(node) };
    } catch (error) {
      if (error instanceof ControllerKilled) this.refs.dead.add(runId);
      throw error;
    }
  }

  #context(runId: string, transport: Transport, lock: HeldLock, progress: ProgressEvent[]): RunContext {
    return {
      ...{ runId, transport, lock, secrets: this.secrets, clock: this.clock, parallel: 3 },
      progress: { event: (event) => void progress.push(event), end: () => {} },
    };
  }
}

interface Watch {
  readonly beforeChange: RunSettings["beforeChange"];
  readonly onChange: RunSettings["onChange"];
}

/** Transport and store of one process: they die together. */
class Controlled implements Transport {
  readonly inner: MemoryTransport;
  readonly #store: MemoryStore;
  readonly #watch: Watch;

  constructor(inner: MemoryTransport, store: MemoryStore, watch: Watch) {
    this.inner = inner;
    this.#store = store;
    this.#watch = watch;
  }

  observe(...args: Parameters<Transport["observe"]>): ReturnType<Transport["observe"]> {
    return this.#alive(() => this.inner.observe(...args));
  }

  async change(...args: Parameters<Transport["change"]>): ReturnType<Transport["change"]> {
    await this.#watch.beforeChange?.(args[0].name);
    this.#watch.onChange?.(args[0].name, args[1]);
    return this.#alive(() => this.inner.change(...args));
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async #alive<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (this.#store.killed) throw new ControllerKilled("this controller was killed");
    try {
      return await call();
    } catch (error) {
      if (error instanceof ControllerKilled) this.#store.killed = true;
      throw error;
    }
  }
}

/** What a killed run throws, and nothing else. */
export async function killed(run: Promise<unknown>): Promise<void> {
  try {
    await run;
  } catch (error) {
    if (error instanceof ControllerKilled) return;
    throw error;
  }
  throw new Error("it was not killed");
}
