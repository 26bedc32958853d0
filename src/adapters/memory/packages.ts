import type { PackageFact } from "../../model/node-facts.ts";
import { putFolders } from "./file-effects.ts";
import { folderOf } from "./file-tree.ts";
import type { EffectOf, EffectResult, InstalledPackage, MemoryNode } from "./memory-node.ts";
import type { RepositoryPackage } from "./package-repository.ts";
import { enableUnit, reloadDaemon, startUnit, stopUnit } from "./unit-effects.ts";

/** Instances that dpkg knows of `name`, or of `name:architecture`; of a name it does not know, who provides it. */
export function packageFact(node: MemoryNode, name: string): PackageFact {
  const known = instancesOf(node, name);
  if (known.length > 0) {
    const instances = known.map(({ architecture, want, flag, status, version }) => ({
      architecture,
      want,
      flag,
      status,
      version,
    }));
    return { instances, providedBy: [] };
  }
  const providers = [...node.packages.values()].filter((one) => isInstalled(one) && one.provides.includes(name));
  return { instances: [], providedBy: [...new Set(providers.map((one) => one.name))].sort() };
}

export function installPackage(node: MemoryNode, effect: EffectOf<"install-package">): EffectResult {
  const obstacle = dpkgObstacle(node) ?? configurePending(node);
  if (obstacle !== null) return obstacle;
  const wanted = candidate(node, effect.name, effect.version);
  if (wanted === undefined) {
    const what = effect.version === null ? effect.name : `${effect.name}=${effect.version}`;
    return { code: "package-unknown", detail: `Unable to locate package ${what}` };
  }
  const present = instancesOf(node, effect.name).find(isInstalled);
  const settled = present !== undefined && (effect.version === null || present.version === effect.version);
  if (settled && !effect.repair) return null;
  if (!settled && present?.want === "hold") return held(effect.name);
  return unpackWithDependencies(node, wanted, new Set());
}

export function removePackage(node: MemoryNode, name: string): EffectResult {
  const present = instancesOf(node, name).filter((one) => one.status !== "config-files");
  if (present.length === 0) return null;
  const obstacle = dpkgObstacle(node);
  if (obstacle !== null) return obstacle;
  if (present.some((one) => one.want === "hold")) return held(name);
  for (const one of present) remove(node, one);
  reloadDaemon(node, null);
  return null;
}

/** Unpacks and configures one package, whatever was there. Used for nodes that are born with packages, too. */
export function unpack(node: MemoryNode, wanted: RepositoryPackage): EffectResult {
  const key = `${wanted.name}:${wanted.architecture}`;
  const before = node.packages.get(key);
  for (const file of wanted.files) {
    putFolders(node, folderOf(file.path));
    const place = node.files.place(file.path);
    if (place.kind !== "place" || (file.conffile && isEdited(node, file.path, before))) continue;
    const { content, mode } = file;
    node.files.put(place.path, {
      type: "file",
      content,
      mode,
      owner: "root",
      group: "root",
      immutable: false,
      readable: true,
    });
  }
  const { name, version, architecture, provides } = wanted;
  const want = before?.want === "hold" ? "hold" : "install";
  node.packages.set(key, {
    name,
    version,
    architecture,
    provides,
    package: wanted,
    want,
    flag: "ok",
    status: "unpacked",
  });
  return configure(node, key, wanted);
}

function unpackWithDependencies(node: MemoryNode, wanted: RepositoryPackage, under: Set<string>): EffectResult {
  under.add(wanted.name);
  for (const name of wanted.depends) {
    const fact = packageFact(node, name);
    if (instancesOf(node, name).some(isInstalled) || fact.providedBy.length > 0 || under.has(name)) continue;
    const needed = candidate(node, name, null);
    if (needed === undefined) {
      return { code: "package-failed", detail: `${wanted.name} depends on ${name}, but it is not installable` };
    }
    const result = unpackWithDependencies(node, needed, under);
    if (result !== null) return result;
  }
  return unpack(node, wanted);
}

/** Every run of apt first ends what an earlier one left half done, and fails where that fails (cases.md 25). */
function configurePending(node: MemoryNode): EffectResult {
  for (const [key, one] of node.packages) {
    if (isInstalled(one) || one.status === "config-files") continue;
    const result = configure(node, key, one.package);
    if (result !== null) return result;
  }
  return null;
}

function configure(node: MemoryNode, key: string, wanted: RepositoryPackage): EffectResult {
  const one = node.packages.get(key);
  if (one === undefined) return null;
  if (wanted.broken) {
    node.packages.set(key, { ...one, status: "half-configured" });
    return { code: "package-failed", detail: `installed ${wanted.name} package post-installation script failed` };
  }
  for (const group of wanted.groups) node.groups.add(group);
  for (const user of wanted.users) node.users.set(user, `/home/${user}`);
  node.packages.set(key, { ...one, status: "installed" });
  reloadDaemon(node, null);
  for (const unit of wanted.starts) {
    enableUnit(node, { name: unit, user: null });
    startUnit(node, { name: unit, user: null });
  }
  return null;
}

/** Without its conffiles, so that they stay, and with them the record of the package (cases.md 17). */
function remove(node: MemoryNode, one: InstalledPackage): void {
  for (const unit of one.package.starts) stopUnit(node, { name: unit, user: null });
  for (const file of one.package.files) {
    const place = node.files.place(file.path);
    if (!file.conffile && place.kind === "place") node.files.remove(place.path);
  }
  const key = `${one.name}:${one.architecture}`;
  if (!one.package.files.some((file) => file.conffile)) node.packages.delete(key);
  else node.packages.set(key, { ...one, want: "deinstall", flag: "ok", status: "config-files" });
}

function isEdited(node: MemoryNode, path: string, before: InstalledPackage | undefined): boolean {
  const entry = node.files.get(path);
  const shipped = before?.package.files.find((file) => file.path === path);
  return entry?.type === "file" && entry.content.sha256 !== shipped?.content.sha256;
}

/** The version asked for, or the newest; of a name that only others provide, its one provider (cases.md 20, 21). */
function candidate(node: MemoryNode, name: string, version: string | null): RepositoryPackage | undefined {
  const [own = "", architecture] = name.split(":");
  const fits = (one: RepositoryPackage) => architecture === undefined || one.architecture === architecture;
  const named = node.repository.filter((one) => one.name === own && fits(one));
  if (named.length > 0) return named.filter((one) => version === null || one.version === version).at(-1);
  const providers = node.repository.filter((one) => one.provides.includes(own) && fits(one));
  const one = providers.at(-1);
  return version === null && providers.every((other) => other.name === one?.name) ? one : undefined;
}

function instancesOf(node: MemoryNode, name: string): InstalledPackage[] {
  const [own, architecture] = name.split(":");
  return [...node.packages.values()].filter(
    (one) => one.name === own && (architecture === undefined || one.architecture === architecture),
  );
}

function isInstalled(one: InstalledPackage): boolean {
  return one.status === "installed" || one.status.startsWith("triggers-");
}

function dpkgObstacle(node: MemoryNode): EffectResult {
  if (!node.has.has("dpkg")) return { code: "package-failed", detail: "there is no dpkg" };
  return node.dpkgLocked ? { code: "dpkg-busy", detail: "another process holds dpkg's lock" } : null;
}

function held(name: string): EffectResult {
  return { code: "package-held", detail: `${name} is held` };
}
