import { randomBytes } from "node:crypto";
import path from "node:path/posix";
import type { BufferEncoding, CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash";
import type { Entry, FileTree } from "../../src/adapters/memory/file-tree.ts";
import { byteContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeProcess } from "./process.ts";

type ReadOptions = Parameters<IFileSystem["readFile"]>[1];
type WriteOptions = Parameters<IFileSystem["writeFile"]>[2];

/** One read of a device gives so many bytes: enough for `head -c` and `od -N`. */
const DEVICE_BYTES = 4096;
const DEVICES = new Map<string, () => Uint8Array>([
  ["/dev/null", () => new Uint8Array(0)],
  ["/dev/zero", () => new Uint8Array(DEVICE_BYTES)],
  ["/dev/random", () => randomBytes(DEVICE_BYTES)],
  ["/dev/urandom", () => randomBytes(DEVICE_BYTES)],
]);
const MOST_LINKS = 40;
/** When the nodes' clocks stood at 0, milliseconds. */
const EPOCH = 1_700_000_000_000;

/**
 * The files of an in-memory node as just-bash wants them: what a shell writes here, the in-memory model of packages and
 * units reads, and the other way about. As one process sees them: what it makes is its user's, under its umask.
 */
export class NodeFileSystem implements IFileSystem {
  readonly #tree: FileTree;
  readonly #process: Pick<NodeProcess, "user" | "umask">;
  readonly #nowMs: () => number;
  /** Files that are made up as they are read. */
  readonly #devices: ReadonlyMap<string, () => Uint8Array>;

  /** `nowMs`: the node's own clock. */
  constructor(tree: FileTree, process: Pick<NodeProcess, "user" | "umask">, nowMs: () => number) {
    this.#tree = tree;
    this.#process = process;
    this.#nowMs = nowMs;
    const uptime = () => Buffer.from(`${(nowMs() / 1000).toFixed(2)} 0.00\n`);
    this.#devices = new Map([...DEVICES, ["/proc/uptime", uptime]]);
  }

  async readFile(file: string, options?: ReadOptions): Promise<string> {
    return Buffer.from(await this.readFileBuffer(file)).toString(encodingOf(options));
  }

  async readFileBuffer(file: string): Promise<Uint8Array> {
    const device = this.#devices.get(file);
    if (device !== undefined) return device();
    const entry = this.#tree.follow(file);
    if (entry === undefined) throw problem("ENOENT", "open", file);
    if (entry.type !== "file") throw problem("EISDIR", "read", file);
    return entry.content.bytes();
  }

  /** Through links, a dangling one included. Folders that are not there are made: a redirect cannot fail here. */
  async writeFile(file: string, content: FileContent, options?: WriteOptions): Promise<void> {
    if (this.#devices.has(file)) return;
    const target = this.#target(file);
    const before = this.#tree.get(target);
    if (before !== undefined && before.type !== "file") throw problem("EISDIR", "open", file);
    if (before === undefined) await this.mkdir(path.dirname(target), { recursive: true });
    const { user, umask } = this.#process;
    const owned = before ?? { owner: user, group: user, mode: octal(0o666 & ~umask), immutable: false, readable: true };
    this.#tree.put(target, {
      ...owned,
      type: "file",
      content: byteContent(bytesOf(content, options)),
      modifiedMs: this.#nowMs(),
    });
  }

  async appendFile(file: string, content: FileContent, options?: WriteOptions): Promise<void> {
    const old = (await this.exists(file)) ? await this.readFileBuffer(file) : new Uint8Array(0);
    await this.writeFile(file, Buffer.concat([old, bytesOf(content, options)]));
  }

  async exists(file: string): Promise<boolean> {
    return this.#tree.follow(file) !== undefined;
  }

  async stat(file: string): Promise<FsStat> {
    return statOf(this.#tree.follow(file), file);
  }

  async lstat(file: string): Promise<FsStat> {
    return statOf(this.#tree.get(file), file);
  }

  async mkdir(file: string, options?: MkdirOptions): Promise<void> {
    const existing = this.#tree.follow(file);
    if (existing?.type === "directory" && options?.recursive === true) return;
    if (existing !== undefined || this.#tree.get(file) !== undefined) throw problem("EEXIST", "mkdir", file);
    if (options?.recursive === true) await this.mkdir(path.dirname(file), options);
    const { user, umask } = this.#process;
    const mode = octal(0o777 & ~umask);
    this.#tree.put(this.#place(file), { type: "directory", mode, owner: user, group: user, immutable: false });
  }

  async readdir(file: string): Promise<string[]> {
    if (this.#tree.follow(file)?.type !== "directory") throw problem("ENOTDIR", "scandir", file);
    return this.#tree.list(await this.realpath(file));
  }

  async readdirWithFileTypes(folder: string) {
    const names = await this.readdir(folder);
    return names.map((name) => ({ name, ...kindOf(this.#tree.get(path.join(folder, name))) }));
  }

  async rm(file: string, options?: RmOptions): Promise<void> {
    const entry = this.#tree.get(file);
    if (entry === undefined) {
      if (options?.force === true) return;
      throw problem("ENOENT", "rm", file);
    }
    const place = this.#place(file);
    const names = entry.type === "directory" ? this.#tree.list(place) : [];
    if (names.length > 0 && options?.recursive !== true) throw problem("ENOTEMPTY", "rm", file);
    for (const name of names) await this.rm(path.join(place, name), options);
    this.#tree.remove(place);
  }

  async mv(from: string, to: string): Promise<void> {
    const entry = this.#existing(from, "rename");
    const [source, target] = [this.#place(from), this.#place(to)];
    if (source === target) return;
    const replaced = this.#tree.get(target);
    if (replaced?.type === "directory") {
      if (entry.type !== "directory") throw problem("EISDIR", "rename", to);
      if (this.#tree.list(target).length > 0) throw problem("ENOTEMPTY", "rename", to);
    }
    this.#tree.put(target, entry);
    const names = entry.type === "directory" ? this.#tree.list(source) : [];
    for (const name of names) await this.mv(path.join(source, name), path.join(target, name));
    this.#tree.remove(source);
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    const entry = this.#existing(from, "cp");
    const { user } = this.#process;
    if (entry.type === "directory") {
      if (options?.recursive !== true) throw problem("EISDIR", "cp", from);
      await this.mkdir(to, { recursive: true });
      for (const name of await this.readdir(from)) await this.cp(path.join(from, name), path.join(to, name), options);
      return;
    }
    this.#tree.put(this.#target(to), { ...entry, owner: user, group: user });
  }

  async chmod(file: string, mode: number): Promise<void> {
    await this.change(file, { mode: octal(mode & 0o7777) });
  }

  /** Mode, owner or group of what is at the end of the links. */
  async change(file: string, changes: { mode?: string; owner?: string; group?: string }): Promise<void> {
    const real = await this.realpath(file);
    this.#tree.put(real, { ...this.#existing(real, "chmod"), ...changes });
  }

  async symlink(target: string, link: string): Promise<void> {
    if (this.#tree.get(link) !== undefined) throw problem("EEXIST", "symlink", link);
    const { user } = this.#process;
    const owned = { owner: user, group: user, mode: "0777", immutable: false };
    this.#tree.put(this.#place(link), { type: "link", target, ...owned });
  }

  /** A copy: two names of one file are not modelled. */
  async link(from: string, to: string): Promise<void> {
    if (this.#tree.get(to) !== undefined) throw problem("EEXIST", "link", to);
    this.#tree.put(this.#place(to), this.#existing(from, "link"));
  }

  async readlink(link: string): Promise<string> {
    const entry = this.#existing(link, "readlink");
    if (entry.type !== "link") throw problem("EINVAL", "readlink", link);
    return entry.target;
  }

  async realpath(file: string): Promise<string> {
    const real = this.#target(file);
    if (this.#tree.get(real) === undefined) throw problem("ENOENT", "realpath", file);
    return real;
  }

  async utimes(file: string): Promise<void> {
    await this.stat(file);
  }

  resolvePath(base: string, file: string): string {
    return path.resolve(base, file);
  }

  getAllPaths(): string[] {
    return this.#tree.entries().map(([file]) => file);
  }

  /** What lstat sees, with owner and group. */
  entry(file: string): Entry | undefined {
    return this.#tree.get(file);
  }

  #existing(file: string, call: string): Entry {
    const entry = this.#tree.get(file);
    if (entry === undefined) throw problem("ENOENT", call, file);
    return entry;
  }

  /** Its folders' links followed, its own not. */
  #place(file: string): string {
    const place = this.#tree.place(path.resolve("/", file));
    if (place.kind === "no-folder") throw problem("ENOENT", "open", file);
    return place.path;
  }

  /** Where links lead in the end; there may be nothing there. */
  #target(file: string): string {
    let target = path.resolve("/", file);
    for (let followed = 0; followed < MOST_LINKS; followed++) {
      const place = this.#tree.place(target);
      if (place.kind === "no-folder") return target;
      const entry = this.#tree.get(place.path);
      if (entry?.type !== "link") return place.path;
      target = path.resolve(place.folder, entry.target);
    }
    throw problem("ELOOP", "open", file);
  }
}

function statOf(entry: Entry | undefined, file: string): FsStat {
  if (entry === undefined) throw problem("ENOENT", "stat", file);
  const size = entry.type === "file" ? entry.content.size : entry.type === "link" ? entry.target.length : 4096;
  // just-bash asks for something that tells one file from another; two names of one file are not modelled.
  const mtime = new Date(EPOCH + (entry.type === "file" ? entry.modifiedMs : 0));
  return { ...kindOf(entry), mode: Number.parseInt(entry.mode, 8), size, mtime, identity: file };
}

function kindOf(entry: Entry | undefined) {
  const type = entry?.type;
  return {
    isFile: type === "file" || type === "other",
    isDirectory: type === "directory",
    isSymbolicLink: type === "link",
  };
}

/** Without a stack: scripts ask for much that is not there, and a stack costs more than the asking. */
function problem(code: string, call: string, file: string): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: ${call} '${file}'`);
  Error.stackTraceLimit = limit;
  return error;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

function encodingOf(options?: ReadOptions | WriteOptions): BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

function bytesOf(content: FileContent, options?: WriteOptions): Uint8Array {
  return content instanceof Uint8Array ? content : Buffer.from(content, encodingOf(options));
}
