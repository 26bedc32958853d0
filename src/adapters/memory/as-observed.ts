import type { SeenItem } from "../../model/imagined-machine.ts";
import { putFolders } from "./file-effects.ts";
import { type Entry, folderOf } from "./file-tree.ts";
import type { MemoryNode } from "./memory-node.ts";

/**
 * Makes a node's files and packages as a drift item saw them; units are left, since what is wrong with one has causes that no
 * report tells. A file whose bytes nobody knows gets their digest, so that it differs as it did.
 */
export function putAsObserved(node: MemoryNode, item: SeenItem): void {
  const { type } = item.resource;
  if (type === "package") putPackage(node, item);
  const path = valuesOf(item.declared)[type === "command" ? "creates" : "path"];
  if (type === "systemd_unit" || typeof path !== "string") return;
  const place = node.files.place(path);
  if (item.observed === null || type === "command") {
    if (place.kind === "place") removeAll(node, place.path);
    return;
  }
  putFolders(node, folderOf(path));
  const there = node.files.place(path);
  if (there.kind !== "place") return;
  node.files.put(there.path, entryOf(valuesOf(item.observed), node.files.get(path), node.nowMs));
}

/** A regular file of which nobody knows what is in it, but perhaps its digest. */
export function putUnread(node: MemoryNode, path: string, sha256?: string): void {
  putFolders(node, folderOf(path));
  const place = node.files.place(path);
  if (place.kind === "place") node.files.put(place.path, entryOf({ sha256 }, undefined, node.nowMs));
}

function removeAll(node: MemoryNode, path: string): void {
  for (const [below] of node.files.entries()) if (below.startsWith(`${path}/`)) node.files.remove(below);
  node.files.remove(path);
}

function entryOf(observed: Readonly<Record<string, unknown>>, before: Entry | undefined, nowMs: number): Entry {
  const text = (key: string, otherwise: string): string => {
    const value = observed[key];
    return typeof value === "string" ? value : otherwise;
  };
  const owned = {
    mode: text("mode", "0644"),
    owner: text("owner", "root"),
    group: text("group", "root"),
    immutable: false,
  };
  const type = text("type", "file");
  if (type === "directory") return { ...owned, type };
  if (type === "link") return { ...owned, type, target: text("target", "/nowhere") };
  if (type !== "file") return { ...owned, type: "other" };
  const kept = before?.type === "file" ? before.content : undefined;
  const sha256 = text("sha256", "");
  const same = kept !== undefined && kept.sha256 === sha256;
  const content = same ? kept : { sha256: sha256 || "0".repeat(64), size: kept?.size ?? 0, bytes: () => UNKNOWN };
  return { ...owned, type, content, readable: true, modifiedMs: nowMs };
}

/** No text that anybody would write, so that it is as good as unread. */
const UNKNOWN = new Uint8Array([0]);

function valuesOf(record: unknown): Readonly<Record<string, unknown>> {
  return typeof record === "object" && record !== null ? (record as Readonly<Record<string, unknown>>) : {};
}

function putPackage(node: MemoryNode, item: SeenItem): void {
  const observed = item.observed === null ? null : valuesOf(item.observed);
  const name = String(valuesOf(item.declared).name).split(":")[0];
  const offered = node.repository.filter((one) => one.name === name).at(-1);
  if (offered === undefined) return;
  const key = `${offered.name}:${offered.architecture}`;
  if (observed === null) {
    node.packages.delete(key);
    return;
  }
  const version = typeof observed.version === "string" ? observed.version : offered.version;
  const status = typeof observed.status === "string" ? observed.status : "installed";
  const want = observed.hold === true ? "hold" : "install";
  const { architecture, provides } = offered;
  node.packages.set(key, {
    name: offered.name,
    version,
    architecture,
    provides,
    package: offered,
    want,
    flag: "ok",
    status,
  });
}
