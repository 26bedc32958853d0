import type { FileContent } from "../../model/file-content.ts";

/** One thing at a path. Values: what changes is the tree. */
export type Entry =
  | (Owned & { readonly type: "file"; readonly content: FileContent; readonly readable: boolean })
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

/** Where a path leads once links in its folders are followed; its last part is not followed, as lstat does not. */
export type Place =
  | { readonly kind: "place"; readonly path: string; readonly folder: string }
  /** Some folder on the way is not there, or is not a folder. */
  | { readonly kind: "no-folder" };

const MOST_LINKS = 40;

/** The files of a node. All paths are absolute and plain (see `absolutePath` in the model). */
export class FileTree {
  readonly #entries = new Map<string, Entry>();
  /** Folders already followed; forgotten when a folder or a link changes. */
  readonly #followed = new Map<string, string | null>();

  /** What lstat sees. */
  get(path: string): Entry | undefined {
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
    return { kind: "place", path: below(folder, path.slice(path.lastIndexOf("/") + 1)), folder };
  }

  /** Puts an entry at a place that `place` found. */
  put(real: string, entry: Entry): void {
    this.#forget(this.#entries.get(real));
    this.#forget(entry);
    this.#entries.set(real, entry);
  }

  remove(real: string): void {
    this.#forget(this.#entries.get(real));
    this.#entries.delete(real);
  }

  /** Names in a directory at a real path, sorted. */
  list(real: string): string[] {
    const prefix = real === "/" ? "/" : `${real}/`;
    const names: string[] = [];
    for (const path of this.#entries.keys()) {
      if (path.startsWith(prefix) && path !== "/" && !path.includes("/", prefix.length))
        names.push(path.slice(prefix.length));
    }
    return names.sort();
  }

  /** All paths and what is there, sorted: for comparing a node before and after. */
  entries(): [string, Entry][] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #forget(entry: Entry | undefined): void {
    if (entry?.type === "directory" || entry?.type === "link") this.#followed.clear();
  }

  #follow(path: string, depth: number): Entry | undefined {
    const place = this.place(path);
    const entry = place.kind === "place" ? this.#entries.get(place.path) : undefined;
    if (place.kind !== "place" || entry?.type !== "link") return entry;
    return depth > MOST_LINKS ? undefined : this.#follow(linkTarget(place.path, entry.target), depth + 1);
  }

  #realFolder(path: string, depth: number): string | null {
    if (path === "/") return "/";
    const known = this.#followed.get(path);
    if (known !== undefined) return known;
    const real = depth > MOST_LINKS ? null : this.#readFolder(path, depth);
    this.#followed.set(path, real);
    return real;
  }

  #readFolder(path: string, depth: number): string | null {
    const parent = this.#realFolder(folderOf(path), depth);
    if (parent === null) return null;
    const real = below(parent, path.slice(path.lastIndexOf("/") + 1));
    const entry = this.#entries.get(real);
    if (entry?.type === "directory") return real;
    return entry?.type === "link" ? this.#realFolder(linkTarget(real, entry.target), depth + 1) : null;
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

function below(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
