import type { NodeFacts, PathFact, UnitFact } from "../../model/node-facts.ts";
import { type NodeQuestions, type PathQuestion, type UnitName, unitKey } from "../../model/node-question.ts";
import type { MemoryNode } from "./memory-node.ts";
import { packageFact } from "./packages.ts";
import { findUnit, needsReload, unitFileState } from "./unit-lookup.ts";

/** The facts that a node answers. Reads only. */
export function answer(node: MemoryNode, questions: NodeQuestions): NodeFacts {
  const machineId = node.files.get("/etc/machine-id");
  return {
    identity: {
      machineId: machineId?.type === "file" ? machineId.content.sha256 : null,
      kernel: node.kernel,
      has: node.has,
    },
    packages: new Map(questions.packages.map((name) => [name, packageFact(node, name)])),
    paths: new Map(questions.paths.map((question) => [question.path, pathFact(node, question)])),
    units: new Map(questions.units.map((name) => [unitKey(name), unitFact(node, name)])),
    pending: new Map(node.pending),
    fence: node.fence,
    busy: node.atWork !== null,
    lastRun: node.lastRun,
  };
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
      size: entry.type === "file" ? entry.content.size : entry.type === "link" ? entry.target.length : 0,
      sha256: entry.type === "file" && question.hash && entry.readable ? entry.content.sha256 : null,
      target: entry.type === "link" ? entry.target : null,
      empty: entry.type === "directory" && question.entries ? node.files.list(place.path).length === 0 : null,
    },
  };
}

const UNKNOWN: UnitFact = {
  reachable: false,
  id: "",
  loadState: "",
  activeState: "",
  subState: "",
  unitFileState: "",
  fragmentPath: "",
  type: "",
  remainAfterExit: false,
  result: "",
  restarts: 0,
  needDaemonReload: false,
};

function unitFact(node: MemoryNode, name: UnitName): UnitFact {
  const found = findUnit(node, name);
  if (found === undefined) return { ...UNKNOWN, id: name.name };
  const own = { name: found.id, user: name.user };
  const running = node.runtime.get(unitKey(own));
  const stale = needsReload(node, own);
  const unit = running !== undefined && stale ? running.loaded : found.kind === "found" ? found.unit : null;
  return {
    reachable: true,
    id: found.id,
    loadState: unit === null ? found.kind : unit.definition.incomplete ? "bad-setting" : "loaded",
    activeState: running?.activeState ?? "inactive",
    subState: running?.subState ?? "dead",
    unitFileState: unitFileState(node, own, found),
    fragmentPath: unit?.fragmentPath ?? (found.kind === "masked" ? found.fragmentPath : ""),
    type: unit?.definition.type ?? "",
    remainAfterExit: unit?.definition.remainAfterExit ?? false,
    result: running?.result ?? "success",
    restarts: running?.restarts ?? 0,
    needDaemonReload: stale,
  };
}
