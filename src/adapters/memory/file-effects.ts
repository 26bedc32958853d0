import type { EffectFailure } from "../../model/node-facts.ts";
import { type Entry, folderOf, type Place } from "./file-tree.ts";
import type { EffectOf, EffectResult, MemoryNode } from "./memory-node.ts";

type Owner = { readonly owner: string; readonly group: string };

/** By a temp file beside it and a rename, so a link in the way is never written through (DESIGN §3.2). */
export function writeFile(node: MemoryNode, effect: EffectOf<"write-file">): EffectResult {
  const { path, content, mode, owner, group } = effect;
  const target = writable(node, path);
  if ("code" in target) return target;
  const existing = node.files.get(path);
  if (existing?.type === "directory") return failed("directory-in-the-way", `${path} is a directory`);
  if (existing?.type === "link") return failed("link-in-the-way", `${path} is a link to ${existing.target}`);
  if (existing?.type === "other") return failed("write-failed", `${path} is no regular file`);
  if (existing?.immutable === true) return immutable(path);
  const stranger = strangerTo(node, effect);
  if (stranger !== null) return stranger;
  // The old file is there until the rename, so both must fit.
  if (node.freeBytes !== null && content.size > node.freeBytes) return failed("disk-full", `no space left for ${path}`);
  if (node.freeBytes !== null) node.freeBytes += (existing?.content.size ?? 0) - content.size;
  node.files.put(target.path, { type: "file", content, mode, owner, group, immutable: false, readable: true });
  return null;
}

export function makeDirectory(node: MemoryNode, effect: EffectOf<"make-directory">): EffectResult {
  const { path, mode, owner, group } = effect;
  const target = writable(node, path);
  if ("code" in target) return target;
  const existing = node.files.get(path);
  if (existing?.type === "link") return failed("link-in-the-way", `${path} is a link to ${existing.target}`);
  if (existing !== undefined && existing.type !== "directory") return failed("write-failed", `${path} is no directory`);
  if (existing?.immutable === true) return immutable(path);
  const stranger = strangerTo(node, effect);
  if (stranger !== null) return stranger;
  node.files.put(target.path, { type: "directory", mode, owner, group, immutable: false });
  return null;
}

export function setOwner(node: MemoryNode, effect: EffectOf<"set-owner">): EffectResult {
  const { path, owner, group, mode } = effect;
  return strangerTo(node, effect) ?? alter(node, path, (entry) => ({ ...entry, owner, group, mode }));
}

export function setMode(node: MemoryNode, { path, mode }: EffectOf<"set-mode">): EffectResult {
  return alter(node, path, (entry) => ({ ...entry, mode }));
}

export function removeFile(node: MemoryNode, path: string): EffectResult {
  const entry = node.files.get(path);
  if (entry === undefined) return null;
  const target = writable(node, path);
  if ("code" in target) return target;
  if (entry.type === "directory") return failed("directory-in-the-way", `${path} is a directory`);
  if (entry.immutable) return immutable(path);
  if (entry.type === "file" && node.freeBytes !== null) node.freeBytes += entry.content.size;
  node.files.remove(target.path);
  return null;
}

export function removeDirectory(node: MemoryNode, path: string): EffectResult {
  const entry = node.files.get(path);
  if (entry === undefined) return null;
  const target = writable(node, path);
  if ("code" in target) return target;
  if (entry.type !== "directory") return failed("not-removable", `${path} is no directory`);
  if (entry.immutable) return immutable(path);
  if (node.files.list(target.path).length > 0) return failed("not-removable", `${path} is not empty`);
  node.files.remove(target.path);
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

function alter(node: MemoryNode, path: string, change: (entry: Entry) => Entry): EffectResult {
  const entry = node.files.get(path);
  const place = node.files.place(path);
  if (entry === undefined || place.kind !== "place") return failed("write-failed", `${path} is not there`);
  if (entry.type === "link") return failed("link-in-the-way", `${path} is a link to ${entry.target}`);
  if (isReadOnly(node, place.path)) return readOnly(path);
  if (entry.immutable) return immutable(path);
  node.files.put(place.path, change(entry));
  return null;
}

/** Where a name may be made, replaced or removed. */
function writable(node: MemoryNode, path: string): Extract<Place, { kind: "place" }> | NonNullable<EffectResult> {
  const place = node.files.place(path);
  if (place.kind === "no-folder") return failed("parent-missing", `${folderOf(path)} is no directory`);
  if (isReadOnly(node, place.path)) return readOnly(path);
  return node.files.get(place.folder)?.immutable === true ? immutable(place.folder) : place;
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
