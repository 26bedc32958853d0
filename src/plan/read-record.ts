import { compareText } from "../kit/compare-text.ts";
import {
  type Heartbeat,
  heartbeatSchema,
  type NodeReport,
  type NodeState,
  nodeReportSchema,
  nodeStateSchema,
  type Reconciled,
  reconciledSchema,
} from "../model/node-record.ts";
import { FLEET_RECORD, HEARTBEATS, liveReportPath, nodeReportPath, nodeStatePath } from "../model/observed-layout.ts";
import { name as nodeName } from "../model/scalar.ts";
import type { ObservedFiles } from "../ports.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { madeOf, type ReadBefore } from "./read-before.ts";
import { readSegments } from "./read-segments.ts";
import { faultOf, type Schema } from "./schema-fault.ts";

type Damage = ObservedRecord["damaged"][number];

/**
 * What the observed refs say (DESIGN §4). Whatever is not as it should be is listed and counts as absent, so that at worst a
 * node proves again what it had proved; files that nothing here knows are left alone. `before`: what earlier reads made of
 * these refs' files; it is brought up to date.
 */
export function readRecord(
  observed: ObservedFiles,
  live: ObservedFiles,
  before: ReadBefore = new Map(),
): ObservedRecord {
  const damaged: Damage[] = [];
  const reading = { damaged, before };
  const states = readEach(observed, STATE, reading);
  const newest = readEach(live, LIVE_REPORT, reading);
  const reports = new Map([...readEach(observed, REPORT, reading, newest), ...newest]);
  const heartbeats = readHeartbeats(live, reading);
  const rollouts = readSegments(observed, damaged, before);
  const reconciled = readReconciled(observed, reading);
  return {
    commit: observed.commit,
    reconciled,
    states,
    reports,
    heartbeats,
    rollouts,
    damaged: damaged.sort((a, b) => compareText(a.path, b.path) || compareText(a.message, b.message)),
  };
}

/** What is wrong so far, and what is known from earlier reads. */
interface Reading {
  readonly damaged: Damage[];
  readonly before: ReadBefore;
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
  reading: Reading,
  known: ReadonlyMap<string, Value> = new Map(),
): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const path of files.paths) {
    const [, node] = kind.path.exec(path) ?? [];
    if (node === undefined || known.has(node)) continue;
    const read = madeOf(reading.before, path, files.read(path), (text) =>
      ofNode(node, path, kind, readBy(text, kind.schema)),
    );
    if ("value" in read) values.set(node, read.value);
    else reading.damaged.push({ path, ...read });
  }
  return values;
}

/** What stands in a node's file counts only where it is that node's, at the path that is its own. */
function ofNode<Value extends { readonly node: string }>(
  node: string,
  path: string,
  kind: NodeFileKind<Value>,
  read: Read<Value>,
): Read<Value> {
  if ("message" in read) return read;
  const { value } = read;
  const message = value.node === node && kind.pathOf(node) === path ? kind.fault(value) : `it is of ${value.node}`;
  return message === null ? read : { message };
}

/** All nodes in one file: what is wrong with one of them must not silence the others. */
function readHeartbeats(live: ObservedFiles, { damaged, before }: Reading): ReadonlyMap<string, Heartbeat> {
  if (!live.paths.includes(HEARTBEATS)) return new Map();
  const read = madeOf(before, HEARTBEATS, live.read(HEARTBEATS), heartbeatsOf);
  damaged.push(...read.damaged);
  return read.heartbeats;
}

function heartbeatsOf(text: string | undefined): {
  readonly heartbeats: ReadonlyMap<string, Heartbeat>;
  readonly damaged: readonly Damage[];
} {
  const heartbeats = new Map<string, Heartbeat>();
  const file = readBy(text, ANY_HEARTBEATS);
  if ("message" in file) return { heartbeats, damaged: [{ path: HEARTBEATS, message: file.message }] };
  const damaged: Damage[] = [];
  for (const [node, written] of Object.entries(file.value.nodes)) {
    const heartbeat = heartbeatSchema.safeParse(written);
    if (!nodeName.safeParse(node).success) damaged.push({ path: HEARTBEATS, message: `${node} is no node's name` });
    else if (heartbeat.success) heartbeats.set(node, heartbeat.data);
    else damaged.push({ path: HEARTBEATS, message: `${node}: ${faultOf(heartbeat.error)}` });
  }
  return { heartbeats, damaged };
}

const ANY_HEARTBEATS: Schema<{ readonly nodes: object }> = {
  safeParse: (value) => {
    const nodes =
      typeof value === "object" && value !== null && "v" in value && value.v === 1 && "nodes" in value && value.nodes;
    if (typeof nodes === "object" && nodes !== null) return { success: true, data: { nodes } };
    return { success: false, error: { issues: [{ path: [], message: "it is no version 1 of heartbeats" }] } };
  },
};

function readReconciled(observed: ObservedFiles, { damaged, before }: Reading): Reconciled | null {
  if (!observed.paths.includes(FLEET_RECORD)) return null;
  const read = madeOf(before, FLEET_RECORD, observed.read(FLEET_RECORD), (text) => readBy(text, reconciledSchema));
  if ("value" in read) return read.value;
  damaged.push({ path: FLEET_RECORD, ...read });
  return null;
}

type Read<Value> = { readonly value: Value } | Omit<Damage, "path">;

function readBy<Value>(text: string | undefined, schema: Schema<Value>): Read<Value> {
  let written: unknown;
  try {
    written = JSON.parse(text ?? "");
  } catch {
    return { message: text === undefined ? "it cannot be read" : "it is not JSON" };
  }
  const parsed = schema.safeParse(written);
  if (parsed.success) return { value: parsed.data };
  const version = versionOf(written);
  if (version <= VERSION) return { message: faultOf(parsed.error) };
  return { message: `it is of version ${version}, and this rollcall knows ${VERSION}`, newer: true };
}

/** Of all files of the record. */
const VERSION = 1;

function versionOf(written: unknown): number {
  return typeof written === "object" && written !== null && "v" in written && typeof written.v === "number"
    ? written.v
    : 0;
}
