import { compareText } from "../kit/compare-text.ts";
import {
  type Heartbeat,
  heartbeatSchema,
  type NodeReport,
  type NodeState,
  nodeReportSchema,
  nodeStateSchema,
  reconciledSchema,
} from "../model/node-record.ts";
import { FLEET_RECORD, HEARTBEATS, liveReportPath, nodeReportPath, nodeStatePath } from "../model/observed-layout.ts";
import { name as nodeName } from "../model/scalar.ts";
import type { ObservedFiles } from "../ports.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { readSegments } from "./read-segments.ts";
import { faultOf, type Schema } from "./schema-fault.ts";

type Damage = ObservedRecord["damaged"][number];

/**
 * What the observed refs say (DESIGN §4). Whatever is not as it should be is listed and counts as absent, so that at worst a
 * node proves again what it had proved; files that nothing here knows are left alone.
 */
export function readRecord(observed: ObservedFiles, live: ObservedFiles): ObservedRecord {
  const damaged: Damage[] = [];
  const states = readEach(observed, STATE, damaged);
  const newest = readEach(live, LIVE_REPORT, damaged);
  const reports = new Map([...readEach(observed, REPORT, damaged, newest), ...newest]);
  const heartbeats = readHeartbeats(live, damaged);
  const rollouts = readSegments(observed, damaged);
  const reconciled = observed.paths.includes(FLEET_RECORD)
    ? readJson(observed, FLEET_RECORD, reconciledSchema, damaged)
    : undefined;
  return {
    commit: observed.commit,
    reconciled: reconciled ?? null,
    states,
    reports,
    heartbeats,
    rollouts,
    damaged: damaged.sort((a, b) => compareText(a.path, b.path) || compareText(a.message, b.message)),
  };
}

/** One file for each node: which paths those are, and what stands in them. */
interface NodeFileKind<Value extends { readonly node: string }> {
  readonly path: RegExp;
  readonly pathOf: (node: string) => string;
  readonly schema: Schema<Value>;
  readonly fault: (value: Value) => string | null;
}

const STATE: NodeFileKind<NodeState> = {
  path: /^nodes\/[^/]+\/([^/]+)\/state\.json$/,
  pathOf: nodeStatePath,
  schema: nodeStateSchema,
  fault: ({ markers }) => {
    const units = new Set(markers.map(({ unit }) => unit));
    return units.size === markers.length ? null : "it has two markers of one unit";
  },
};

const REPORT: NodeFileKind<NodeReport> = {
  path: /^nodes\/[^/]+\/([^/]+)\/report\.json$/,
  pathOf: nodeReportPath,
  schema: nodeReportSchema,
  fault: ({ node, items }) => (items.every(({ host }) => host === node) ? null : "it has an item of another node"),
};

const LIVE_REPORT: NodeFileKind<NodeReport> = {
  ...REPORT,
  path: /^reports\/[^/]+\/([^/]+)\.json$/,
  pathOf: liveReportPath,
};

/** All but those of nodes that are known from elsewhere. */
function readEach<Value extends { readonly node: string }>(
  files: ObservedFiles,
  kind: NodeFileKind<Value>,
  damaged: Damage[],
  known: ReadonlyMap<string, Value> = new Map(),
): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const path of files.paths) {
    const [, node] = kind.path.exec(path) ?? [];
    if (node === undefined || known.has(node)) continue;
    const value = readJson(files, path, kind.schema, damaged);
    if (value === undefined) continue;
    const message = value.node === node && kind.pathOf(node) === path ? kind.fault(value) : `it is of ${value.node}`;
    if (message === null) values.set(node, value);
    else damaged.push({ path, message });
  }
  return values;
}

/** All nodes in one file: what is wrong with one of them must not silence the others. */
function readHeartbeats(live: ObservedFiles, damaged: Damage[]): Map<string, Heartbeat> {
  const heartbeats = new Map<string, Heartbeat>();
  const file = live.paths.includes(HEARTBEATS) ? readJson(live, HEARTBEATS, ANY_HEARTBEATS, damaged) : undefined;
  for (const [node, written] of Object.entries(file?.nodes ?? {})) {
    const heartbeat = heartbeatSchema.safeParse(written);
    if (!nodeName.safeParse(node).success) damaged.push({ path: HEARTBEATS, message: `${node} is no node's name` });
    else if (heartbeat.success) heartbeats.set(node, heartbeat.data);
    else damaged.push({ path: HEARTBEATS, message: `${node}: ${faultOf(heartbeat.error)}` });
  }
  return heartbeats;
}

const ANY_HEARTBEATS: Schema<{ readonly nodes: object }> = {
  safeParse: (value) => {
    const nodes =
      typeof value === "object" && value !== null && "v" in value && value.v === 1 && "nodes" in value && value.nodes;
    if (typeof nodes === "object" && nodes !== null) return { success: true, data: { nodes } };
    return { success: false, error: { issues: [{ path: [], message: "it is no version 1 of heartbeats" }] } };
  },
};

function readJson<Value>(
  files: ObservedFiles,
  path: string,
  schema: Schema<Value>,
  damaged: Damage[],
): Value | undefined {
  const text = files.read(path);
  let written: unknown;
  try {
    written = JSON.parse(text ?? "");
  } catch {
    damaged.push({ path, message: text === undefined ? "it cannot be read" : "it is not JSON" });
    return undefined;
  }
  const parsed = schema.safeParse(written);
  if (parsed.success) return parsed.data;
  damaged.push({ path, message: faultOf(parsed.error) });
  return undefined;
}
