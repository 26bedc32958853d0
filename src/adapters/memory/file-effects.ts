import type { EffectFailure } from "../../model/node-facts.ts";
import { type Entry, folderOf, type Place } from "./file-tree.ts";
import type { EffectOf, EffectResult, MemoryNode } from "./memory-node.ts";

type Owner = { readonly owner: string; readonly group: string };

/** By a temp file beside it and a rename, so a link in the way is never written through (DESIGN §3.2). */
export function writeFile(node: MemoryNode, effect: EffectOf<"write-file">): EffectResult {
  const { path, content, mode, owner, group } = effect;
  const place = node.files.place(path);
  if (place.kind === "no-folder") return parentMissing(path);
  const existing = node.files.get(path);
  if (existing !== undefined && existing.type !== "file") return inTheWay(path, existing);
  const obstacle = folderObstacle(node, place) ?? noRoom(node, content.size, path) ?? strangerTo(node, effect);
  if (obstacle !== null) return obstacle;
  if (existing?.immutable === true) return immutable(path);
  if (node.freeBytes !== null) node.freeBytes += (existing?.content.size ?? 0) - content.size;
  node.files.put(place.path, {
    type: "file",
    content,
    mode,
    owner,
    group,
    immutable: false,
    readable: true,
    modifiedMs: node.nowMs,
  });
  return null;
}

export function makeDirectory(node: MemoryNode, effect: EffectOf<"make-directory">): EffectResult {
  const { path, mode, owner, group } = effect;
  const existing = node.files.get(path);
  if (existing?.type === "link") return inTheWay(path, existing);
  if (existing !== undefined && existing.type !== "directory") return noDirectory(path);
  const place = node.files.place(path);
  if (place.kind === "no-folder") return parentMissing(path);
  if (existing === undefined) {
    const obstacle = folderObstacle(node, place);
    if (obstacle !== null) return obstacle;
    // Closed until it is owned as declared, as a real one.
    node.files.put(place.path, { type: "directory", mode: "0700", owner: "root", group: "root", immutable: false });
  }
  return adorn(node, path, effect, { mode, owner, group });
}

export function setOwner(node: MemoryNode, effect: EffectOf<"set-owner">): EffectResult {
  const { path, owner, group, mode } = effect;
  return adorn(node, path, effect, { mode, owner, group });
}

export function setMode(node: MemoryNode, { path, mode }: EffectOf<"set-mode">): EffectResult {
  return adorn(node, path, null, { mode });
}

export function removeFile(node: MemoryNode, path: string): EffectResult {
  const entry = node.files.get(path);
  const place = node.files.place(path);
  if (entry === undefined || place.kind === "no-folder") return null;
  if (entry.type === "directory" || entry.type === "other") return inTheWay(path, entry);
  const obstacle = folderObstacle(node, place);
  if (obstacle !== null) return obstacle;
  if (entry.immutable) return immutable(path);
  if (entry.type === "file" && node.freeBytes !== null) node.freeBytes += entry.content.size;
  node.files.remove(place.path);
  return null;
}

export function removeDirectory(node: MemoryNode, path: string): EffectResult {
  const entry = node.files.get(path);
  const place = node.files.place(path);
  if (entry === undefined || place.kind === "no-folder") return null;
  if (entry.type === "link") return inTheWay(path, entry);
  if (entry.type !== "directory") return noDirectory(path);
  const obstacle = folderObstacle(node, place);
  if (obstacle !== null) return obstacle;
  if (entry.immutable) return immutable(path);
  if (!node.files.isEmpty(place.path)) return failed("not-removable", `${path} is not empty`);
  node.files.remove(place.path);
  return null;
}

/** Makes the folders that lead to `path`, and `path` itself, as root's and 0755. */
export function putFolders(node: MemoryNode, path: string): void {
  if (node.files.follow(path) !== undefined) return;
  putFolders(node, folderOf(path));
  put(node, path, { type: "directory", mode: "0755", owner: "root", group: "root", immutable: false });
}

export function putLink(node: MemoryNode, path: string, target: string): void {
  put(node, path, { type: "link", target, mode: "0777", owner: "root", group: "root", immutable: false });
}

function put(node: MemoryNode, path: string, entry: Entry): void {
  const place = node.files.place(path);
  if (place.kind === "place") node.files.put(place.path, entry);
}

function adorn(
  node: MemoryNode,
  path: string,
  owner: Owner | null,
  change: Partial<Owner & { mode: string }>,
): EffectResult {
  const entry = node.files.get(path);
  const place = node.files.place(path);
  if (entry?.type === "link") return inTheWay(path, entry);
  if (entry === undefined || place.kind !== "place") return failed("write-failed", `${path} is not there`);
  const stranger = owner === null ? null : strangerTo(node, owner);
  if (stranger !== null) return stranger;
  if (entry.immutable) return immutable(path);
  if (isReadOnly(node, place.path)) return readOnly(path);
  node.files.put(place.path, { ...entry, ...change });
  return null;
}

/** Why no name can be made, replaced or removed in a folder. */
function folderObstacle(node: MemoryNode, { folder }: Extract<Place, { kind: "place" }>): EffectResult {
  if (node.files.get(folder)?.immutable === true) return immutable(folder);
  return isReadOnly(node, folder) ? readOnly(folder) : null;
}

/** The old file is there until the rename, so both must fit. */
function noRoom(node: MemoryNode, size: number, path: string): EffectResult {
  const full = node.freeBytes !== null && size > node.freeBytes;
  return full ? failed("disk-full", `the file system has no room for ${path}`) : null;
}

function inTheWay(path: string, entry: Entry): NonNullable<EffectResult> {
  if (entry.type === "link") return failed("link-in-the-way", `${path} is a link to ${entry.target}`);
  if (entry.type === "directory") return failed("directory-in-the-way", `${path} is a directory`);
  return failed("special-in-the-way", `${path} is neither a file nor a directory`);
}

function noDirectory(path: string): NonNullable<EffectResult> {
  return failed("special-in-the-way", `${path} is no directory`);
}

function parentMissing(path: string): NonNullable<EffectResult> {
  return failed("parent-missing", `${folderOf(path)} is not there, or is no directory`);
}

function isReadOnly(node: MemoryNode, real: string): boolean {
  return [...node.readOnly].some((folder) => real === folder || real.startsWith(folder === "/" ? "/" : `${folder}/`));
}

function strangerTo(node: MemoryNode, { owner, group }: Owner): EffectResult {
  const known = (names: { has(name: string): boolean }, name: string) => names.has(name) || /^\d+$/.test(name);
  if (!known(node.users, owner)) return failed("no-such-owner", `no user ${owner}`);
  return known(node.groups, group) ? null : failed("no-such-owner", `no group ${group}`);
}

function failed(code: EffectFailure, detail: string): NonNullable<EffectResult> {
  return { code, detail };
}

function immutable(path: string): NonNullable<EffectResult> {
  return failed("immutable", `${path} is immutable`);
}

function readOnly(path: string): NonNullable<EffectResult> {
  return failed("read-only", `${path} is on a read-only file system`);
}
