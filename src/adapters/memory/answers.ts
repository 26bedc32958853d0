import { type NodeFacts, type PathFact, UNKNOWN_UNIT, type UnitFact } from "../../model/node-facts.ts";
import {
  type NodeQuestions,
  type PathQuestion,
  TEXT_LIMIT,
  type UnitName,
  unitKey,
} from "../../model/node-question.ts";
import type { LoadedUnit, MemoryNode, UnitRuntime } from "./memory-node.ts";
import { packageFact } from "./packages.ts";
import { findUnit, isReferenced, needsReload, unitFileState } from "./unit-lookup.ts";

/** The facts that a node answers. Reads only. */
export function answer(node: MemoryNode, questions: NodeQuestions): NodeFacts {
  const machineId = node.files.get("/etc/machine-id");
  return {
    identity: {
      machineId: machineId?.type === "file" ? machineId.content.sha256 : null,
      kernel: node.kernel,
      has: node.has,
    },
    // Without dpkg there is no answer, not the answer that nothing is installed.
    packages: new Map(node.has.has("dpkg") ? questions.packages.map((name) => [name, packageFact(node, name)]) : []),
    paths: new Map(questions.paths.map((question) => [question.path, pathFact(node, question)])),
    units: new Map(questions.units.map((name) => [unitKey(name), unitFact(node, name)])),
    texts: new Map(questions.texts.map((path) => [path, textAt(node, path)])),
    pending: new Map(node.pending),
    fence: node.fence,
    busy: node.atWork !== null,
    lastRun: node.lastRun === null ? null : { ...node.lastRun, steps: [...node.lastRun.steps] },
    owned: { resources: node.owned, rejected: node.rejectedLines },
  };
}

function textAt(node: MemoryNode, path: string): Uint8Array | null {
  const entry = node.files.get(path);
  if (entry?.type !== "file" || !entry.readable || entry.content.size > TEXT_LIMIT) return null;
  return entry.content.bytes();
}

function pathFact(node: MemoryNode, question: PathQuestion): PathFact {
  const entry = node.files.get(question.path);
  const place = node.files.place(question.path);
  if (entry === undefined || place.kind !== "place") return { found: null };
  const { type, mode, owner, group } = entry;
  return {
    found: {
      type,
      mode,
      owner,
      group,
      ...numbered("uid", owner),
      ...numbered("gid", group),
      size: entry.type === "file" ? entry.content.size : entry.type === "link" ? entry.target.length : 0,
      sha256: entry.type === "file" && question.hash && entry.readable ? entry.content.sha256 : null,
      target: entry.type === "link" ? entry.target : null,
      empty: entry.type === "directory" && question.entries ? node.files.isEmpty(place.path) : null,
    },
  };
}

/** The number behind a name, where it is known without a table of them. */
function numbered(key: "uid" | "gid", name: string): { readonly uid?: number; readonly gid?: number } {
  if (name === "root") return { [key]: 0 };
  return /^\d+$/.test(name) ? { [key]: Number(name) } : {};
}

function unitFact(node: MemoryNode, name: UnitName): UnitFact {
  const found = findUnit(node, name);
  if (found === undefined) return { ...UNKNOWN_UNIT, id: name.name };
  const own = { name: found.id, user: name.user };
  const running = node.runtime.get(unitKey(own));
  const stale = needsReload(node, own, found);
  const unit = running !== undefined && stale ? running.loaded : found.kind === "found" ? found.unit : null;
  return {
    ...UNKNOWN_UNIT,
    reachable: true,
    id: found.id,
    loadState: found.kind,
    fragmentPath: found.kind === "masked" ? found.fragmentPath : "",
    ...(unit === null ? {} : definedFacts(unit)),
    unitFileState: unitFileState(node, own, found),
    needDaemonReload: stale,
    referenced: isReferenced(node, own),
    ...(running === undefined ? INACTIVE : runtimeFacts(running, node.nowMs)),
  };
}

const INACTIVE = { activeState: "inactive", subState: "dead", result: "success" };

function definedFacts({ definition, fragmentPath }: LoadedUnit): Partial<UnitFact> {
  return {
    loadState: definition.incomplete ? "bad-setting" : "loaded",
    fragmentPath,
    type: definition.type,
    remainAfterExit: definition.remainAfterExit,
    environmentFiles: definition.environmentFiles.map((path) => path.replace(/^-/, "")),
  };
}

function runtimeFacts(running: UnitRuntime, nowMs: number): Partial<UnitFact> {
  const { activeState, subState, result, restarts, hasRun, skipped, sinceMs } = running;
  const facts = { activeState, subState, result, restarts, hasRun, skipped };
  return { ...facts, activeForMs: activeState === "active" ? nowMs - sinceMs : null };
}
