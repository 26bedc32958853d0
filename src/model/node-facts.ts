import type { OwnedFact } from "./owned-resource.ts";

/** What a node answered (host-state §3), before any resource type has reduced it to its observed-state record. */
export interface NodeFacts {
  readonly identity: NodeIdentity;
  /** Keyed by the name that was asked. A name dpkg knows nothing about has no instances. */
  readonly packages: ReadonlyMap<string, PackageFact>;
  /** Keyed by path. */
  readonly paths: ReadonlyMap<string, PathFact>;
  /** Keyed by `unitKey`. */
  readonly units: ReadonlyMap<string, UnitFact>;
  /** Bytes of files by path; null where no regular file of that size could be read. */
  readonly texts: ReadonlyMap<string, Uint8Array | null>;
  /** Pending-restart records left on the node, keyed by `unitKey` (DESIGN §3.2). */
  readonly pending: ReadonlyMap<string, PendingRecord>;
  readonly fence: NodeFence | null;
  /** A run that holds the node's lock at this moment. */
  readonly busy: boolean;
  /** The outcome file of the last run that changed the node. */
  readonly lastRun: RunRecord | null;
  /** The record of what rollcall made as declared on the node. */
  readonly owned: OwnedFact;
}

export interface NodeIdentity {
  /** SHA-256 of /etc/machine-id as it stands (with its newline); null when the file is not there. */
  readonly machineId: string | null;
  /** Kernel name as `uname -s` says it: `Linux`, `Darwin`. */
  readonly kernel: string;
  /** Package manager and service manager found, by program name. */
  readonly has: ReadonlySet<"dpkg" | "systemd">;
}

export interface PackageFact {
  readonly instances: readonly PackageInstance[];
  /** Installed packages that provide the name, when it is not itself a package. */
  readonly providedBy: readonly string[];
}

export interface PackageInstance {
  readonly architecture: string;
  /** Of the node's own architecture, or `all`: what a name without `:arch` means. */
  readonly native: boolean;
  /** dpkg's three status words: `hold ok installed`, `deinstall ok config-files`. */
  readonly want: string;
  readonly flag: string;
  readonly status: string;
  readonly version: string;
}

export type PathType = "file" | "directory" | "link" | "other";

export interface PathFact {
  /** null: nothing is there (lstat says so). */
  readonly found: {
    readonly type: PathType;
    /** Four octal digits, special bits included: `0644`, `4755`. */
    readonly mode: string;
    /** Names; the number where the node has no name for it. */
    readonly owner: string;
    readonly group: string;
    /** The numbers behind them, where they are known: an owner may be declared by number. */
    readonly uid?: number;
    readonly gid?: number;
    /** Bytes. */
    readonly size: number;
    /** Of a regular file, when asked; null when it could not be read. */
    readonly sha256: string | null;
    /** Of a link: where it points, as written. */
    readonly target: string | null;
    /** Of a directory, when asked. */
    readonly empty: boolean | null;
  } | null;
}

export interface UnitFact {
  /** False when the manager could not be reached: then nothing else here is known (cases.md 16). */
  readonly reachable: boolean;
  /** The unit's own name after aliases are resolved. */
  readonly id: string;
  /** `loaded`, `not-found`, `masked`, `error`, `bad-setting`. */
  readonly loadState: string;
  readonly activeState: string;
  readonly subState: string;
  /** `enabled`, `disabled`, `static`, `indirect`, `masked`, …; empty when there is no unit file. */
  readonly unitFileState: string;
  readonly fragmentPath: string;
  readonly type: string;
  readonly remainAfterExit: boolean;
  /** `success`, `exit-code`, `start-limit-hit`, … */
  readonly result: string;
  readonly restarts: number;
  readonly needDaemonReload: boolean;
  /** Its main process was started at least once since the manager loaded the unit: a finished oneshot has run. */
  readonly hasRun: boolean;
  /** Another unit refers to it (a target that wants it, a timer): else the manager forgets a finished oneshot at once. */
  readonly referenced: boolean;
  /** A condition of the unit was not met when it was last started, so that nothing ran. */
  readonly skipped: boolean;
  /** How long it has been active, milliseconds; null when it is not active or that is not known. */
  readonly activeForMs: number | null;
  /** EnvironmentFile= as the manager loaded it: absolute, specifiers resolved, globs as they are. */
  readonly environmentFiles: readonly string[];
}

/** Of a unit whose manager could not be reached, or did not answer. */
export const UNKNOWN_UNIT: UnitFact = {
  reachable: false,
  id: "",
  loadState: "",
  activeState: "",
  subState: "",
  unitFileState: "",
  fragmentPath: "",
  type: "",
  remainAfterExit: false,
  result: "",
  restarts: 0,
  needDaemonReload: false,
  hasRun: false,
  referenced: false,
  skipped: false,
  activeForMs: null,
  environmentFiles: [],
};

export interface PendingRecord {
  readonly how: "restart" | "reload";
  /** Ids of the resources whose change made it due. */
  readonly because: readonly string[];
}

/** Who may change the node: the newest run that claimed it (DESIGN §7). */
export interface NodeFence {
  readonly epoch: number;
  readonly runId: string;
}

export interface RunRecord {
  readonly runId: string;
  readonly epoch: number;
  /** False: it was cut off or is still at work (see `busy`). */
  readonly ended: boolean;
  readonly steps: readonly StepResult[];
}

/** What became of one step on the node. */
export interface StepResult {
  /** Index into the request's steps. */
  readonly index: number;
  readonly state: "done" | "failed" | "skipped" | "cut-off";
  /** Why it failed: a code of {@link EFFECT_FAILURES}; null otherwise. */
  readonly code: EffectFailure | null;
  /** The failing tool's last words, at most 2,000 characters. */
  readonly detail: string;
}

export const EFFECT_FAILURES = [
  "command-failed",
  "content-mismatch",
  "directory-in-the-way",
  "disk-full",
  "dpkg-busy",
  "immutable",
  "link-in-the-way",
  "manager-unreachable",
  "no-such-owner",
  "not-removable",
  "package-failed",
  "package-held",
  "package-unknown",
  "parent-missing",
  "read-only",
  "special-in-the-way",
  "step-timeout",
  "unit-failed",
  "unit-masked",
  "would-remove-others",
  "write-failed",
] as const;
export type EffectFailure = (typeof EFFECT_FAILURES)[number];
