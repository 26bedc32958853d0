import type { NodeEffect } from "../../model/node-effect.ts";
import type { EffectFailure, NodeFence, PackageInstance, PendingRecord, RunRecord } from "../../model/node-facts.ts";
import type { OwnedResource } from "../../model/owned-resource.ts";
import { FileTree } from "./file-tree.ts";
import type { RepositoryPackage } from "./package-repository.ts";
import type { UnitDefinition } from "./unit-file.ts";

/**
 * A machine as values: what questions are answered from and effects change. It outlives the transports that reach it, as
 * a machine outlives its controllers.
 */
export class MemoryNode {
  readonly files: FileTree;
  /** Login → home folder. */
  readonly users = new Map<string, string>([["root", "/root"]]);
  readonly groups = new Set<string>(["root"]);
  /** Users whose own service manager runs without a session. */
  readonly lingering = new Set<string>();
  /** dpkg's status, keyed by `name:architecture`. */
  readonly packages = new Map<string, InstalledPackage>();
  /** What apt can install; of several versions of a name the last one is the candidate. */
  repository: readonly RepositoryPackage[] = [];
  /** Units that the manager has loaded, keyed by `unitKey` of their own name; all others are inactive. */
  readonly runtime = new Map<string, UnitRuntime>();
  readonly pending = new Map<string, PendingRecord>();
  /** The record of what is rollcall's; written anew as a whole. */
  owned: readonly OwnedResource[] = [];
  /** Lines in it that nobody can read. */
  rejectedLines = 0;
  /** Exit codes of command lines; a line that is not here succeeds. */
  readonly commands = new Map<string, { readonly exitCode: number; readonly output: string }>();

  readonly architecture: string = "amd64";
  kernel = "Linux";
  has: ReadonlySet<"dpkg" | "systemd"> = new Set(["dpkg", "systemd"]);
  /** Bytes; null: as many as anybody wants. */
  freeBytes: number | null = null;
  /** Folders under which nothing can be written. */
  readonly readOnly = new Set<string>();
  /** Somebody else's apt is at work. */
  dpkgLocked = false;
  /** Units that fail soon after they were started, keyed by `unitKey`. */
  readonly crashing = new Set<string>();

  /** The node's own time: an effect takes a millisecond, the rest is what a transport lets pass. */
  nowMs = 0;
  /** Every effect that was done, and when: kept for who asks for the order of things, by putting an empty list here. */
  journal: { readonly atMs: number; readonly effect: NodeEffect }[] | null = null;

  fence: NodeFence | null = null;
  lastRun: RunRecord | null = null;
  /** The run that holds the node's lock. */
  atWork: RunAtWork | null = null;

  /** `files`: what it begins with. */
  constructor(files: FileTree) {
    this.files = new FileTree(files);
  }
}

/** A run whose controller is gone, as the next contact finds it. */
export interface RunAtWork {
  /** What it does by itself between two contacts. */
  goOn(): void;
  /** It has seen a newer fence, ends its step and stops; false: it is stuck inside that step. */
  stop(): boolean;
}

export interface InstalledPackage extends Omit<PackageInstance, "native"> {
  readonly name: string;
  readonly provides: readonly string[];
  readonly package: RepositoryPackage;
}

export interface UnitRuntime {
  readonly activeState: "active" | "inactive" | "failed" | "activating";
  readonly subState: string;
  readonly result: string;
  readonly restarts: number;
  /** The unit as it was when it was loaded; another one on disk asks for a daemon-reload. */
  readonly loaded: LoadedUnit;
  /** Will fail as soon as time passes. */
  readonly doomed: boolean;
  readonly hasRun: boolean;
  readonly skipped: boolean;
  /** When it became active, by the node's own time. */
  readonly sinceMs: number;
}

export interface LoadedUnit {
  readonly fragmentPath: string;
  /** Changes with any byte of the unit's files. */
  readonly digest: string;
  readonly definition: UnitDefinition;
}

export type EffectOf<Do extends NodeEffect["do"]> = Extract<NodeEffect, { readonly do: Do }>;

/** Why an effect failed; null: it is done. */
export type EffectResult = { readonly code: EffectFailure; readonly detail: string } | null;
