import { putFolders } from "./file-effects.ts";
import { FileTree, folderOf } from "./file-tree.ts";
import { MemoryNode } from "./memory-node.ts";
import type { RepositoryPackage } from "./package-repository.ts";
import { unpack } from "./packages.ts";
import { textContent } from "./text-content.ts";

/** What a new node is beside plain Debian. */
export interface NodeSeed {
  readonly name: string;
  readonly repository?: readonly RepositoryPackage[];
  /** Packages of the repository that it is born with, by name: of several versions the last. */
  readonly installed?: readonly string[];
  /** Path → text; root's, 0644. */
  readonly files?: Readonly<Record<string, string>>;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
}

const FOLDERS = [
  "/etc/systemd/system",
  "/home",
  "/lib/systemd/system",
  "/root",
  "/run",
  "/srv",
  "/tmp",
  "/usr/bin",
  "/var/lib",
];
const GROUPS = ["adm", "daemon", "nogroup", "shadow", "sudo", "www-data"];

/** A node as it comes out of an installer, the same for the same seed. Its machine id is made from its name. */
export function debianNode(seed: NodeSeed): MemoryNode {
  const node = new MemoryNode(plainDebian());
  for (const group of [...GROUPS, ...(seed.groups ?? [])]) node.groups.add(group);
  for (const user of ["daemon", "nobody", "www-data", ...(seed.users ?? [])]) {
    node.users.set(user, `/home/${user}`);
    node.groups.add(user);
  }
  putFile(node, "/etc/machine-id", `${textContent(seed.name).sha256.slice(0, 32)}\n`);
  putFile(node, "/etc/hostname", `${seed.name}\n`);
  for (const [path, text] of Object.entries(seed.files ?? {})) putFile(node, path, text);
  node.repository = seed.repository ?? [];
  for (const name of seed.installed ?? []) {
    const found = node.repository.filter((one) => one.name === name).at(-1);
    if (found === undefined) throw new Error(`the repository of ${seed.name} has no package ${name}`);
    unpack(node, found);
  }
  return node;
}

let plain: FileTree | undefined;

function plainDebian(): FileTree {
  if (plain === undefined) {
    const node = new MemoryNode(new FileTree());
    for (const folder of FOLDERS) putFolders(node, folder);
    plain = node.files;
  }
  return plain;
}

/** Puts a file and the folders that lead to it on a node, as somebody would who works on it by hand. */
export function putFile(node: MemoryNode, path: string, text: string): void {
  putFolders(node, folderOf(path));
  const place = node.files.place(path);
  if (place.kind !== "place") throw new Error(`${path} cannot be put on the node`);
  const owned = {
    mode: "0644",
    owner: "root",
    group: "root",
    immutable: false,
    readable: true,
    modifiedMs: node.nowMs,
  };
  node.files.put(place.path, { type: "file", content: textContent(text), ...owned });
}
