import { createHash } from "node:crypto";
import { type BigIntStats, createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import type { FleetNode } from "./fleet-node.ts";

export type EntryType = "file" | "directory" | "link" | "fifo" | "socket" | "device" | "removed";

export interface FileState {
  /** "removed": the image has it and the node has not. */
  readonly type: EntryType;
  /** Permission bits, such as 0o644. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** 0 for a directory, whose size says nothing. */
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly sha256?: string;
  readonly target?: string;
}

export interface SnapshotEntry extends FileState {
  /** The same path as the image has it. */
  readonly image?: FileState;
}

/**
 * Every path that a node has written to since it was made: the upper layer of its disk, so nothing of what it only
 * has from the image. /proc, /sys, /dev, /run, logs and login records are left out, /tmp is not.
 */
export type Snapshot = ReadonlyMap<string, SnapshotEntry>;

const LEFT_OUT = new Set(["/proc", "/sys", "/dev", "/run", "/var/log", "/var/lib/wtmpdb", "/var/lib/lastlog"]);
const NOTHING = { mode: 0, uid: 0, gid: 0, size: 0n, mtimeNs: 0n, ctimeNs: 0n };

// Names are bytes. Latin-1 carries them through strings unharmed, and only keys and link targets become UTF-8.
const bytes = (path: string): Buffer => Buffer.from(path, "latin1");
const display = (path: string): string => bytes(path).toString("utf8");

export async function snapshot(node: FleetNode): Promise<Snapshot> {
  const { upper, image } = node.disk;
  const entries = new Map<string, SnapshotEntry>();
  const walk = async (directory: string): Promise<void> => {
    const names = await readdir(bytes(upper + directory), { encoding: "latin1" });
    await Promise.all(
      names.map(async (name) => {
        const path = `${directory}/${name}`;
        if (LEFT_OUT.has(path)) return;
        const state = await fileState(upper, path);
        if (state === undefined) return; // gone since the directory was read
        const before = await imageState(image, path);
        entries.set(display(path), before === undefined ? state : { ...state, image: before });
        if (state.type === "directory") await walk(path);
      }),
    );
  };
  await walk("");
  return entries;
}

async function imageState(layers: readonly string[], path: string): Promise<FileState | undefined> {
  for (const layer of layers) {
    const state = await fileState(layer, path);
    if (state !== undefined) return state.type === "removed" ? undefined : state;
  }
  return undefined;
}

async function fileState(layer: string, path: string): Promise<FileState | undefined> {
  const file = bytes(layer + path);
  try {
    const stats = await lstat(file, { bigint: true });
    const type = entryType(stats);
    if (type === "removed") return { type, ...NOTHING };
    return {
      type,
      mode: Number(stats.mode & 0o7777n),
      uid: Number(stats.uid),
      gid: Number(stats.gid),
      size: type === "directory" ? 0n : stats.size,
      mtimeNs: stats.mtimeNs,
      ctimeNs: stats.ctimeNs,
      ...(type === "file" ? { sha256: await sha256(file) } : {}),
      ...(type === "link" ? { target: (await readlink(file, { encoding: "buffer" })).toString("utf8") } : {}),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function entryType(stats: BigIntStats): EntryType {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  if (stats.isSymbolicLink()) return "link";
  if (stats.isFIFO()) return "fifo";
  if (stats.isSocket()) return "socket";
  return stats.isCharacterDevice() && stats.rdev === 0n ? "removed" : "device"; // overlayfs's whiteout
}

async function sha256(file: Buffer): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** What differs, one line for each path, sorted; empty when nothing was written in between. */
export function compareSnapshots(before: Snapshot, after: Snapshot): string[] {
  const lines: string[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const now = after.get(path);
    const then = before.get(path) ?? now?.image;
    if (now === undefined || (now.type === "removed" && then?.type !== "removed")) lines.push(`removed ${path}`);
    else if (then === undefined || then.type === "removed") {
      if (now.type !== "removed") lines.push(`added ${path}: ${now.type} ${octal(now.mode)} ${now.uid}:${now.gid}`);
    } else {
      // Opening a file of the image for writing copies it and its directories up: that renews their ctime, and is no
      // change. So ctime says nothing when the path was the image's before, nor ever for a directory of the image.
      const copied = !before.has(path) || (now.type === "directory" && now.image !== undefined);
      const changes = differences(then, now).filter((change) => !(copied && change.startsWith("ctime ")));
      if (changes.length > 0) lines.push(`changed ${path}: ${changes.join(", ")}`);
    }
  }
  return lines;
}

function differences(then: FileState, now: FileState): string[] {
  const pairs: [name: string, then: string, now: string][] = [
    ["type", then.type, now.type],
    ["mode", octal(then.mode), octal(now.mode)],
    ["uid", String(then.uid), String(now.uid)],
    ["gid", String(then.gid), String(now.gid)],
    ["size", String(then.size), String(now.size)],
    ["sha256", (then.sha256 ?? "").slice(0, 12), (now.sha256 ?? "").slice(0, 12)],
    ["target", then.target ?? "", now.target ?? ""],
    ["mtime", time(then.mtimeNs), time(now.mtimeNs)],
    ["ctime", time(then.ctimeNs), time(now.ctimeNs)],
  ];
  return pairs.filter(([, a, b]) => a !== b).map(([name, a, b]) => `${name} ${a} → ${b}`);
}

const octal = (mode: number): string => mode.toString(8).padStart(4, "0");
const time = (ns: bigint): string =>
  `${new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().slice(0, 19)}.${String(ns % 1_000_000_000n).padStart(9, "0")}`;
