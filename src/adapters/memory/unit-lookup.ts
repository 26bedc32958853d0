import { type UnitName, unitKey } from "../../model/node-question.ts";
import { linkTarget } from "./file-tree.ts";
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

export type FoundUnit =
  | { readonly kind: "not-found"; readonly id: string }
  | { readonly kind: "masked"; readonly id: string; readonly fragmentPath: string }
  /** `id` is the unit's own name; `viaAlias`: it was asked for by another. */
  | { readonly kind: "found"; readonly id: string; readonly viaAlias: boolean; readonly unit: LoadedUnit };

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
  if (found.kind === "not-found") return "";
  if (found.kind === "masked") return found.fragmentPath.startsWith("/run/") ? "masked-runtime" : "masked";
  const { fragmentPath, definition } = found.unit;
  if (fragmentPath.startsWith("/run/systemd/transient/")) return "transient";
  if (fragmentPath.startsWith("/run/systemd/generator/")) return "generated";
  const linked = (root: string): boolean =>
    enablingLinks(root, found.id, definition).some((link) => node.files.get(link) !== undefined);
  if (linked(linkRoot(node, name.user))) return "enabled";
  if (name.user === null && linked("/run/systemd/system")) return "enabled-runtime";
  if (node.files.get(`${linkRoot(node, name.user)}/${found.id}`)?.type === "link") return "linked";
  if (definition.linkFolders.length + definition.aliases.length > 0) return "disabled";
  return definition.also.length > 0 ? "indirect" : "static";
}

/** The links whose presence means enabled. */
export function enablingLinks(root: string, id: string, definition: UnitDefinition): string[] {
  return [
    ...definition.linkFolders.map((folder) => `${root}/${folder}/${id}`),
    ...definition.aliases.map((alias) => `${root}/${alias}`),
  ];
}

/** True when a unit that was loaded has other files by now. */
export function needsReload(node: MemoryNode, name: UnitName): boolean {
  const loaded = node.runtime.get(unitKey(name))?.loaded;
  if (loaded === undefined) return false;
  const found = findUnit(node, name);
  return loaded.digest !== (found?.kind === "found" ? found.unit.digest : NO_FILES);
}

/** The digest of a unit whose files are gone or masked. */
export const NO_FILES = "";

function find(node: MemoryNode, folders: readonly string[], name: string, viaAlias: boolean): FoundUnit {
  for (const fileName of candidates(name)) {
    for (const folder of folders) {
      const path = `${folder}/${fileName}`;
      const entry = node.files.get(path);
      if (entry === undefined) continue;
      if (entry.type === "link") {
        const target = linkTarget(path, entry.target);
        if (target === "/dev/null") return { kind: "masked", id: name, fragmentPath: path };
        const own = target.slice(target.lastIndexOf("/") + 1);
        if (own !== fileName && !viaAlias && folders.some((known) => target === `${known}/${own}`)) {
          return find(node, folders, own, true);
        }
      }
      const file = node.files.follow(path);
      if (file?.type !== "file") continue;
      if (file.content.size === 0) return { kind: "masked", id: name, fragmentPath: path };
      return { kind: "found", id: name, viaAlias, unit: load(node, folders, name, path) };
    }
  }
  return { kind: "not-found", id: name };
}

/** Its own file, then its template's. */
function candidates(name: string): string[] {
  const instance = /^([^@]+@)[^@]+(\.[a-z]+)$/.exec(name);
  return instance === null ? [name] : [name, `${instance[1]}${instance[2]}`];
}

function load(node: MemoryNode, folders: readonly string[], name: string, fragmentPath: string): LoadedUnit {
  const paths = [fragmentPath, ...dropIns(node, folders, name)];
  const contents = paths.flatMap((path) => {
    const file = node.files.follow(path);
    return file?.type === "file" ? [file.content] : [];
  });
  const digest = contents.map((content) => content.sha256).join("+");
  return { fragmentPath, digest, definition: definitionOf(name, digest, () => contents.map(contentText).join("\n")) };
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
const definitions = new Map<string, UnitDefinition>();

function definitionOf(name: string, digest: string, text: () => string): UnitDefinition {
  const key = `${name}\n${digest}`;
  const known = definitions.get(key) ?? parseUnit(name, text());
  definitions.set(key, known);
  return known;
}
