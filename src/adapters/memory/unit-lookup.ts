import { type UnitName, unitKey } from "../../model/node-question.ts";
import { type Entry, folderOf, lastPart, linkTarget } from "./file-tree.ts";
import type { LoadedUnit, MemoryNode } from "./memory-node.ts";
import { contentText } from "./text-content.ts";
import { parseUnit, type UnitDefinition } from "./unit-file.ts";

/** Where the managers look for units, first match wins (systemd.unit(5), as Debian builds it). */
const SYSTEM_FOLDERS = [
  "/run/systemd/transient",
  "/etc/systemd/system",
  "/run/systemd/system",
  "/run/systemd/generator",
  "/usr/local/lib/systemd/system",
  "/lib/systemd/system",
  "/usr/lib/systemd/system",
];
const USER_FOLDERS = ["/etc/systemd/user", "/run/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"];

/** Where enabling until the next boot puts its links. */
export const RUNTIME_ROOT = "/run/systemd/system";

type File = Extract<Entry, { readonly type: "file" }>;

export type FoundUnit =
  | { readonly kind: "not-found"; readonly id: string }
  | { readonly kind: "masked"; readonly id: string; readonly fragmentPath: string }
  /** `id` is the unit's own name, whatever alias it was asked for by. */
  | { readonly kind: "found"; readonly id: string; readonly unit: LoadedUnit };

/** The unit as its files say now, whatever is running. Undefined: there is no manager to ask. */
export function findUnit(node: MemoryNode, name: UnitName): FoundUnit | undefined {
  const folders = unitFolders(node, name.user);
  return folders === undefined ? undefined : find(node, folders, name.name, false);
}

/** The folders that the manager of `user` reads; undefined when it cannot be reached (cases.md 16). */
export function unitFolders(node: MemoryNode, user: string | null): readonly string[] | undefined {
  if (!node.has.has("systemd")) return undefined;
  if (user === null) return SYSTEM_FOLDERS;
  const home = node.users.get(user);
  return home !== undefined && node.lingering.has(user) ? [`${home}/.config/systemd/user`, ...USER_FOLDERS] : undefined;
}

/** Where enabling puts its links: the folder that its owner writes. */
export function linkRoot(node: MemoryNode, user: string | null): string {
  return user === null ? "/etc/systemd/system" : `${node.users.get(user) ?? ""}/.config/systemd/user`;
}

/** `is-enabled`'s word; empty when there is no unit file. */
export function unitFileState(node: MemoryNode, name: UnitName, found: FoundUnit): string {
  if (found.kind === "not-found") {
    // What the manager has loaded it knows the state of, until it looks again.
    const loaded = node.runtime.get(unitKey({ name: found.id, user: name.user }))?.loaded;
    return loaded === undefined || loaded.digest === NO_FILES
      ? ""
      : stateByLinks(node, name.user, found.id, loaded.definition);
  }
  if (found.kind === "masked") return found.fragmentPath.startsWith("/run/") ? "masked-runtime" : "masked";
  const { fragmentPath, definition } = found.unit;
  if (fragmentPath.startsWith("/run/systemd/transient/")) return "transient";
  if (fragmentPath.startsWith("/run/systemd/generator/")) return "generated";
  return stateByLinks(node, name.user, found.id, definition);
}

function stateByLinks(node: MemoryNode, user: string | null, id: string, definition: UnitDefinition): string {
  if (linksTo(node, linkRoot(node, user), id).length > 0) return "enabled";
  if (user === null && linksTo(node, RUNTIME_ROOT, id).length > 0) return "enabled-runtime";
  if (node.files.get(`${linkRoot(node, user)}/${id}`)?.type === "link") return "linked";
  if (definition.linkFolders.length + definition.aliases.length > 0) return "disabled";
  return definition.also.length > 0 ? "indirect" : "static";
}

/** The links that enabling makes. */
export function enablingLinks(root: string, id: string, definition: UnitDefinition): string[] {
  return [
    ...definition.linkFolders.map((folder) => `${root}/${folder}/${id}`),
    ...definition.aliases.map((alias) => `${root}/${alias}`),
  ];
}

/** The links whose presence means enabled, whatever the unit's file says by now: disabling takes them all. */
export function linksTo(node: MemoryNode, root: string, id: string): string[] {
  return [...node.files.links()].filter((path) => {
    if (!path.startsWith(`${root}/`)) return false;
    if (isWish(path, id)) return true;
    const entry = node.files.get(path);
    const alias = folderOf(path) === root && lastPart(path) !== id;
    return alias && entry?.type === "link" && lastPart(entry.target) === id;
  });
}

/** A target wants it: else the manager forgets it as soon as it is done. */
export function isReferenced(node: MemoryNode, { name, user }: UnitName): boolean {
  const roots = user === null ? [linkRoot(node, user), RUNTIME_ROOT] : [linkRoot(node, user)];
  return roots.some((root) => linksTo(node, root, name).some((path) => isWish(path, name)));
}

/** Names of units that targets want: the manager has them loaded, running or not. */
export function wantedUnits(node: MemoryNode, user: string | null): string[] {
  const roots = user === null ? [linkRoot(node, user), RUNTIME_ROOT] : [linkRoot(node, user)];
  const links = [...node.files.links()].filter((path) => roots.some((root) => path.startsWith(`${root}/`)));
  return links.filter((path) => isWish(path, lastPart(path))).map(lastPart);
}

/** `….wants/NAME` or `….requires/NAME`. */
function isWish(path: string, id: string): boolean {
  return path.endsWith(`.wants/${id}`) || path.endsWith(`.requires/${id}`);
}

/** True when a unit that was loaded has other files by now. */
export function needsReload(node: MemoryNode, name: UnitName, found = findUnit(node, name)): boolean {
  const loaded = node.runtime.get(unitKey(name))?.loaded;
  // Of files that were gone when the manager last looked it takes the new ones by itself.
  if (loaded === undefined || loaded.digest === NO_FILES) return false;
  return loaded.digest !== (found?.kind === "found" ? found.unit.digest : NO_FILES);
}

/** The digest of a unit whose files are gone or masked. */
export const NO_FILES = "";

function find(node: MemoryNode, folders: readonly string[], name: string, viaAlias: boolean): FoundUnit {
  const path = fragment(node, folders, name);
  const entry = path === undefined ? undefined : node.files.get(path);
  if (path === undefined || entry === undefined) return { kind: "not-found", id: name };
  const target = entry.type === "link" ? linkTarget(path, entry.target) : path;
  const [own, fileName] = [lastPart(target), lastPart(path)];
  const isAlias = own !== fileName && folders.some((folder) => target === `${folder}/${own}`);
  if (isAlias && !viaAlias) return find(node, folders, own, true);
  const file = node.files.follow(path);
  const isMask = target === "/dev/null" || (file?.type === "file" && file.content.size === 0);
  if (isMask) return { kind: "masked", id: name, fragmentPath: path };
  if (file?.type !== "file") return { kind: "not-found", id: name };
  return { kind: "found", id: name, unit: load(node, folders, name, path, file) };
}

/** The first of its files on the managers' way: its own in any folder, then its template's. */
function fragment(node: MemoryNode, folders: readonly string[], name: string): string | undefined {
  for (const fileName of candidates(name)) {
    const folder = folders.find((one) => node.files.get(`${one}/${fileName}`) !== undefined);
    if (folder !== undefined) return `${folder}/${fileName}`;
  }
  return undefined;
}

/** Its own file, then its template's. */
function candidates(name: string): string[] {
  const instance = /^([^@]+@)[^@]+(\.[a-z]+)$/.exec(name);
  return instance === null ? [name] : [name, `${instance[1]}${instance[2]}`];
}

function load(node: MemoryNode, folders: readonly string[], name: string, path: string, main: File): LoadedUnit {
  if (!node.files.hasDropIns) return loadedUnit(name, path, [main]);
  const more = dropIns(node, folders, name).flatMap((dropIn) => {
    const file = node.files.follow(dropIn);
    return file?.type === "file" ? [file] : [];
  });
  return loadedUnit(name, path, [main, ...more]);
}

function dropIns(node: MemoryNode, folders: readonly string[], name: string): string[] {
  return candidates(name).flatMap((fileName) =>
    folders.flatMap((folder) => {
      const place = node.files.place(`${folder}/${fileName}.d/x`);
      if (place.kind === "no-folder") return [];
      const names = node.files.list(place.folder).filter((file) => file.endsWith(".conf"));
      return names.map((file) => `${place.folder}/${file}`);
    }),
  );
}

/** Ten thousand nodes share a handful of units; each is read once. */
const loadedUnits = new Map<string, LoadedUnit>();

function loadedUnit(name: string, fragmentPath: string, files: readonly File[]): LoadedUnit {
  // As the manager, by the time of a file too: the same bytes written again ask for a reload.
  const digest = files.map(({ content, modifiedMs }) => `${content.sha256}@${modifiedMs}`).join("+");
  const key = `${name} ${fragmentPath} ${digest}`;
  const known = loadedUnits.get(key);
  if (known !== undefined) return known;
  const definition = parseUnit(name, files.map(({ content }) => contentText(content)).join("\n"));
  const unit = { fragmentPath, digest, definition };
  loadedUnits.set(key, unit);
  return unit;
}
