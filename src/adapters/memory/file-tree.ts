import type { FileContent } from "../../model/file-content.ts";

/** One thing at a path. Values: what changes is the tree. */
export type Entry =
  | (Owned & {
      readonly type: "file";
      readonly content: FileContent;
      readonly readable: boolean;
      readonly modifiedMs: number;
    })
  | (Owned & { readonly type: "directory" })
  | (Owned & { readonly type: "link"; readonly target: string })
  /** A device, a socket, a pipe. */
  | (Owned & { readonly type: "other" });

interface Owned {
  /** Four octal digits; a link's is 0777. */
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
  /** chattr +i: nothing about it can be changed, and a directory's list neither. */
  readonly immutable: boolean;
}

const ROOT: Entry = { type: "directory", mode: "0755", owner: "root", group: "root", immutable: false };

/** Where a path leads once links in its folders are followed; its last part is not followed, as lstat does not. */
export type Place =
  | { readonly kind: "place"; readonly path: string; readonly folder: string }
  /** Some folder on the way is not there, or is not a folder. */
  | { readonly kind: "no-folder" };

const MOST_LINKS = 40;

/** The files of a node. All paths are absolute and plain (see `absolutePath` in the model). */
export class FileTree {
  /** By real path, so that a path which is found here as it stands needs no walk. */
  readonly #entries: Map<string, Entry>;
  /** Real paths of the links, through which other paths may lead. */
  readonly #links = new Set<string>();
  #dropIns = false;

  /** Begins with what `other` holds. */
  constructor(other?: FileTree) {
    this.#entries = new Map(other === undefined ? [["/", ROOT]] : other.#entries);
    for (const [path, entry] of this.#entries) if (entry.type === "link") this.#links.add(path);
    this.#dropIns = other?.hasDropIns ?? false;
  }

  /** Some folder `….d` holds, or held, a `….conf`: where none does, none needs to be looked for. */
  get hasDropIns(): boolean {
    return this.#dropIns;
  }

  /** What lstat sees. */
  get(path: string): Entry | undefined {
    const entry = this.#entries.get(path);
    if (entry !== undefined || !this.#passesLink(path)) return entry;
    const place = this.place(path);
    return place.kind === "place" ? this.#entries.get(place.path) : undefined;
  }

  /** What stat sees: links followed to the end; undefined when they lead nowhere. */
  follow(path: string): Entry | undefined {
    return this.#follow(path, 0);
  }

  place(path: string): Place {
    if (path === "/") return { kind: "place", path, folder: "/" };
    const folder = this.#realFolder(folderOf(path), 0);
    if (folder === null) return { kind: "no-folder" };
    return { kind: "place", path: below(folder, lastPart(path)), folder };
  }

  /** Puts an entry at a place that `place` found. */
  put(real: string, entry: Entry): void {
    if (entry.type === "link") this.#links.add(real);
    else this.#links.delete(real);
    this.#dropIns ||= real.endsWith(".conf") && folderOf(real).endsWith(".d");
    this.#entries.set(real, entry);
  }

  remove(real: string): void {
    this.#links.delete(real);
    this.#entries.delete(real);
  }

  /** Real paths of all links. */
  links(): Iterable<string> {
    return this.#links;
  }

  /** Names in a directory at a real path, sorted. */
  list(real: string): string[] {
    const prefix = real === "/" ? "/" : `${real}/`;
    const names: string[] = [];
    for (const path of this.#entries.keys()) {
      if (isBelow(path, prefix) && !path.includes("/", prefix.length)) names.push(path.slice(prefix.length));
    }
    return names.sort();
  }

  isEmpty(real: string): boolean {
    const prefix = real === "/" ? "/" : `${real}/`;
    for (const path of this.#entries.keys()) if (isBelow(path, prefix)) return false;
    return true;
  }

  /** All paths and what is there, sorted: for comparing a node before and after. */
  entries(): [string, Entry][] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #follow(path: string, depth: number): Entry | undefined {
    const entry = this.get(path);
    if (entry?.type !== "link") return entry;
    const place = this.place(path);
    if (depth > MOST_LINKS || place.kind !== "place") return undefined;
    return this.#follow(linkTarget(place.path, entry.target), depth + 1);
  }

  #passesLink(path: string): boolean {
    for (const link of this.#links) if (path.startsWith(link) && path[link.length] === "/") return true;
    return false;
  }

  #realFolder(path: string, depth: number): string | null {
    const entry = this.#entries.get(path);
    if (entry?.type === "directory") return path;
    if (entry?.type === "link")
      return depth > MOST_LINKS ? null : this.#realFolder(linkTarget(path, entry.target), depth + 1);
    if (entry !== undefined || !this.#passesLink(path)) return null;
    const parent = this.#realFolder(folderOf(path), depth + 1);
    return parent === null ? null : this.#realFolder(below(parent, lastPart(path)), depth + 1);
  }
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The absolute, plain path that a link at `path` leads to. */
export function linkTarget(path: string, target: string): string {
  const parts: string[] = [];
  for (const part of (target.startsWith("/") ? target : `${folderOf(path)}/${target}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function isBelow(path: string, prefix: string): boolean {
  return path.length > prefix.length && path.startsWith(prefix);
}

function below(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
