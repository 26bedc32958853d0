import type { PackageFact } from "../../model/node-facts.ts";
import { putFolders } from "./file-effects.ts";
import { folderOf } from "./file-tree.ts";
import type { EffectOf, EffectResult, InstalledPackage, MemoryNode } from "./memory-node.ts";
import type { RepositoryPackage } from "./package-repository.ts";
import { enableUnit, reloadDaemon, startUnit, stopUnit } from "./unit-effects.ts";

/**
 * Instances of a name, of every architecture even where one is named, as `dpkg-query` is asked; of a name that dpkg does
 * not know, who provides it.
 */
export function packageFact(node: MemoryNode, name: string): PackageFact {
  const plain = plainName(name);
  const known = [...node.packages.values()].filter((one) => one.name === plain);
  const instances = known.map(({ architecture, want, flag, status, version }) => ({
    architecture,
    native: architecture === "all" || architecture === node.architecture,
    want,
    flag,
    status,
    version,
  }));
  return { instances, providedBy: known.length > 0 ? [] : providersOf(node, plain) };
}

export function installPackage(node: MemoryNode, effect: EffectOf<"install-package">): EffectResult {
  const { name, version } = effect;
  if (!node.has.has("dpkg")) return { code: "package-failed", detail: "there is no dpkg" };
  const present = meant(node, name).find(isInstalled);
  if (present !== undefined && (version === null || present.version === version)) return null;
  if (node.dpkgLocked) return BUSY;
  if (present?.want === "hold") return held(name);
  const wanted = candidate(node, name, version);
  if (wanted === undefined) return unknown(name, version);
  if (wanted.name !== plainName(name) && providersOf(node, name).includes(wanted.name)) return configurePending(node);
  const victim = [...node.packages.values()].find((one) => isInstalled(one) && wanted.conflicts.includes(one.name));
  if (victim !== undefined) return wouldRemove(`installing ${name} would remove: ${victim.name}`);
  return unpackWithDependencies(node, wanted, new Set()) ?? configurePending(node);
}

export function removePackage(node: MemoryNode, name: string): EffectResult {
  const present = meant(node, name).filter((one) => one.status !== "config-files");
  if (present.length === 0) return null;
  if (present.some((one) => one.want === "hold")) return held(name);
  const needer = [...node.packages.values()].find((one) => isInstalled(one) && needs(one, present));
  if (needer !== undefined) return wouldRemove(`removing ${name} would also change: ${needer.name}`);
  if (node.dpkgLocked) return BUSY;
  for (const one of present) remove(node, one);
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
      modifiedMs: 0,
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
    const there = meant(node, name).some(isInstalled) || providersOf(node, name).length > 0;
    if (there || under.has(name)) continue;
    const needed = candidate(node, name, null);
    if (needed === undefined) {
      return { code: "package-failed", detail: `${wanted.name} depends on ${name}, but it is not installable` };
    }
    const result = unpackWithDependencies(node, needed, under);
    if (result !== null) return result;
  }
  return unpack(node, wanted);
}

/** Every run of apt also ends what an earlier one left half done, and fails where that fails (cases.md 25). */
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
  if (wanted.files.some(({ path }) => path.includes("/systemd/system/"))) reloadDaemon(node, null);
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

function needs(one: InstalledPackage, going: readonly InstalledPackage[]): boolean {
  return going.some((other) => other.name !== one.name && one.package.depends.includes(other.name));
}

/** Removed by somebody counts as edited, once dpkg knows the file as its own. */
function isEdited(node: MemoryNode, path: string, before: InstalledPackage | undefined): boolean {
  const entry = node.files.get(path);
  const shipped = before?.package.files.find((file) => file.path === path);
  if (entry === undefined) return shipped?.conffile === true;
  return entry?.type === "file" && entry.content.sha256 !== shipped?.content.sha256;
}

/** The version asked for, or the newest; of a name that only others provide, its one provider (cases.md 20, 21). */
function candidate(node: MemoryNode, name: string, version: string | null): RepositoryPackage | undefined {
  const [own = "", architecture] = name.split(":");
  const fits = (one: RepositoryPackage) => architectures(node, architecture).includes(one.architecture);
  const named = node.repository.filter((one) => one.name === own && fits(one));
  if (named.length > 0) return named.filter((one) => version === null || one.version === version).at(-1);
  const providers = node.repository.filter((one) => one.provides.includes(own) && fits(one));
  const one = providers.at(-1);
  return version === null && providers.every((other) => other.name === one?.name) ? one : undefined;
}

/** To apt, a name alone means the node's own architecture. */
function meant(node: MemoryNode, name: string): InstalledPackage[] {
  const [plain, architecture] = name.split(":");
  const among = architectures(node, architecture);
  return [...node.packages.values()].filter((one) => one.name === plain && among.includes(one.architecture));
}

function architectures(node: MemoryNode, named: string | undefined): readonly string[] {
  return named === undefined ? ["all", node.architecture] : [named];
}

function isInstalled(one: InstalledPackage): boolean {
  return one.status === "installed" || one.status.startsWith("triggers-");
}

function providersOf(node: MemoryNode, name: string): string[] {
  const providers = [...node.packages.values()].filter((one) => isInstalled(one) && one.provides.includes(name));
  return [...new Set(providers.map((one) => one.name))].sort();
}

function plainName(name: string): string {
  return name.split(":")[0] ?? name;
}

const BUSY: EffectResult = { code: "dpkg-busy", detail: "somebody else is at work with dpkg" };

function held(name: string): EffectResult {
  return { code: "package-held", detail: `${name} is on hold, which is left as it is` };
}

function wouldRemove(detail: string): EffectResult {
  return { code: "would-remove-others", detail };
}

function unknown(name: string, version: string | null): EffectResult {
  const what = version === null ? name : `${name} in version ${version}`;
  return { code: "package-unknown", detail: `no source of the node offers ${what}` };
}
