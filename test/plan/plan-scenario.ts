import { memorySimulator } from "../../src/adapters/memory/simulator.ts";
import type { PlanDoors } from "../../src/commands/plan-document-of.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { FLEET_RECORD, HEARTBEATS, liveReportPath, nodeStatePath } from "../../src/model/observed-layout.ts";
import type { ObservedRecord } from "../../src/plan/observed-record.ts";
import type { DesiredFiles, ObservedFiles, Repository } from "../../src/ports.ts";
import { textFiles } from "../desired/text-files.ts";
import { COMMIT, NOTHING_OBSERVED, provedRecord } from "../engine/proved-record.ts";

/** A story of one plan: test/scenarios/README.md says how it is written. */
export interface Scenario {
  readonly now: Date;
  readonly arguments: readonly string[];
  readonly base: DesiredFiles | null;
  readonly head: DesiredFiles;
  readonly record: ObservedRecord;
}

export function readScenario(text: string): Scenario {
  const parts = text.split(/^--- (\w+)\n/m);
  const part = (name: string): string => (parts.includes(name) ? (parts[parts.indexOf(name) + 1] ?? "") : "");
  const base = filesOf(part("base"));
  const head = { ...base, ...filesOf(part("head")) };
  const lines = part("record").split("\n");
  const recorded = parts.includes("base") ? recordOf(base, lines) : NOTHING_OBSERVED;
  const [now = "", ...command] = (part("plan").trim().split("\n")[0] ?? "").split(" ");
  return {
    now: new Date(now),
    arguments: command,
    base: parts.includes("base") ? textFiles(base) : null,
    head: textFiles(Object.fromEntries(Object.entries(head).filter(([, content]) => content !== "gone\n"))),
    record: recorded,
  };
}

/** `== path`, then what is in it. */
function filesOf(text: string): Record<string, string> {
  const [, ...parts] = text.split(/^== (.+)\n/m);
  return Object.fromEntries(
    parts.flatMap((path, index) => (index % 2 === 0 ? [[path, `${(parts[index + 1] ?? "").trimEnd()}\n`]] : [])),
  );
}

function recordOf(files: Record<string, string>, lines: readonly string[]): ObservedRecord {
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  const said = lines.map((line) => line.split(" ")).filter(([word]) => word !== undefined && word !== "");
  const unproved = new Set(said.flatMap(([word, node, role]) => (word === "unproved" ? [`${node} ${role}`] : [])));
  const record = provedRecord(state, (node, role) => !unproved.has(`${node} ${role}`));
  for (const [word, node = "", ...rest] of said) {
    if (word === "never") {
      for (const map of [record.states, record.reports, record.heartbeats]) map.delete(node);
    } else if (word === "silent") {
      const heartbeat = { ...record.heartbeats.get(node), outcome: "unreachable", failing_since: rest[0] };
      record.heartbeats.set(node, heartbeat);
    } else if (word === "saw") {
      const report = record.reports.get(node);
      if (report === undefined) throw new Error(`${node} was never read`);
      const item = { host: node, severity: "drift", ...JSON.parse(rest.join(" ")) };
      record.reports.set(node, { ...report, items: [...report.items, item] });
    } else if (word !== "unproved") throw new Error(`a record says nothing like: ${word}`);
  }
  return record;
}

export function doorsOf(scenario: Scenario): PlanDoors {
  const repository: Partial<Repository> = {
    workingTree: async () => scenario.head,
    at: async (ref) => (ref === "base" || ref === COMMIT ? (scenario.base ?? undefined) : undefined),
    standing: async () => ({ git: true, head: HEAD, dirty: [], mainBranch: "main", merged: false, behind: false }),
  };
  return {
    repository: repository as Repository,
    history: { commit: async (ref) => (ref === "base" ? { id: COMMIT, firstParent: null } : undefined) },
    store: () => ({ read: async () => observedFiles(scenario.record) }),
    simulator: memorySimulator,
    clock: { now: () => scenario.now },
    open: null,
  };
}

const HEAD = "d".repeat(40);

/** As the refs have it. */
export function observedFiles({ commit, reconciled, states, reports, heartbeats }: ObservedRecord) {
  const json = (entries: readonly (readonly [string, unknown])[]): ObservedFiles => {
    const texts = new Map(entries.map(([path, value]) => [path, JSON.stringify(value)]));
    return { commit, paths: [...texts.keys()].sort(), read: (path) => texts.get(path) };
  };
  return {
    observed: json([
      ...(reconciled === null ? [] : [[FLEET_RECORD, reconciled] as const]),
      ...[...states].map(([node, state]) => [nodeStatePath(node), state] as const),
    ]),
    live: json([
      [HEARTBEATS, { v: 1, nodes: Object.fromEntries(heartbeats) }],
      ...[...reports].map(([node, report]) => [liveReportPath(node), report] as const),
    ]),
  };
}
