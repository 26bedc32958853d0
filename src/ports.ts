import type { FileContent } from "./model/file-content.ts";
import type { ImaginedFault, ImaginedNeeds, SeenItem } from "./model/imagined-machine.ts";
import type { NodeTarget } from "./model/node.ts";
import type { ChangeRequest } from "./model/node-effect.ts";
import type { NodeFacts, NodeFence, StepResult } from "./model/node-facts.ts";
import type { OutcomeCode } from "./model/node-outcome.ts";
import type { NodeQuestions } from "./model/node-question.ts";
import type { OwnedResource } from "./model/owned-resource.ts";

/**
 * The only doors to the world. Adapters behind them turn library errors into values; what they throw is a bug or a
 * broken adapter and ends the run (exit 70).
 */

/** Why a node did not answer: an outcome code and one line that says what to do next. */
export interface NodeFailure {
  readonly kind: "failure";
  readonly outcome: OutcomeCode;
  readonly message: string;
}

export type Observation = { readonly kind: "observed"; readonly facts: NodeFacts } | NodeFailure;

export type ChangeResult =
  /** All steps have an outcome; `facts` were read after them. */
  | { readonly kind: "changed"; readonly steps: readonly StepResult[]; readonly facts: NodeFacts }
  /** Nothing was done: the node had changed hands since the steps were decided. Decide again from `facts`. */
  | { readonly kind: "stale"; readonly by: NodeFence | null; readonly facts: NodeFacts }
  | NodeFailure;

/**
 * Reaches nodes. It takes questions and effects as values; one connection per node is kept until `close`, and each call
 * is one round trip (DESIGN §7).
 */
export interface Transport {
  observe(target: NodeTarget, questions: NodeQuestions): Promise<Observation>;
  /** `onStep` is called as steps begin; it may miss some when the link is slow, and is never called after the result. */
  change(target: NodeTarget, request: ChangeRequest, onStep: (index: number) => void): Promise<ChangeResult>;
  close(): Promise<void>;
}

/** A set of files of a fleet repository: the working tree, or what a commit holds. Paths are `/` separated and sorted. */
export interface DesiredFiles {
  /** Where they come from, for messages: a folder or a commit. */
  readonly origin: string;
  readonly paths: readonly string[];
  read(path: string): FileContent | undefined;
  /** What stands in these folders and is not a file: links that lead out, sockets, submodules. Not among `paths`. */
  readonly refused?: readonly RefusedFile[];
}

export interface RefusedFile {
  readonly path: string;
  /** One line for the diagnostic. */
  readonly reason: string;
}

/** The git side of a fleet repository, read only. Methods return undefined where git says that the thing is not there. */
export interface Repository {
  /** Desired files of the working tree, untracked ones included. */
  workingTree(): Promise<DesiredFiles>;
  /** Desired files at a commit, branch or tag. */
  at(ref: string): Promise<DesiredFiles | undefined>;
  /** What `apply` must know before it acts (DESIGN §5). */
  standing(): Promise<RepositoryStanding>;
  /**
   * The tip of the main branch, fetched anew where there is a remote: what a run that holds the lock uses, and nothing else
   * (DESIGN §3.6). null: there is no main branch.
   */
  main(): Promise<{ readonly branch: string; readonly commit: string } | null>;
  /** How `head` (a full commit id) stands to the commit last reconciled (DESIGN §3.1); null: none was yet. */
  lineage(head: string, recorded: string | null): Promise<Lineage>;
}

/** What git knows for the generation's fence at a merge (DESIGN §3.1). Files are fleet.yaml at that commit. */
export interface Lineage {
  /** The clone lacks history that the answer needs. */
  readonly shallow: boolean;
  /** `head` is the recorded commit or descends from it; true when none is recorded. */
  readonly descends: boolean;
  /** Desired files of both are the same bytes: there is nothing new to fence. */
  readonly same: boolean;
  /** The newest commit on head's first-parent line that changed desired files, and what it changed them from. */
  readonly newest: {
    readonly commit: string;
    readonly fleetFile: FileContent | undefined;
    /** Of its first parent; undefined also when it has none. */
    readonly parentFleetFile: FileContent | undefined;
  } | null;
}

export interface RepositoryStanding {
  /** False: the folder is not in a git repository. */
  readonly git: boolean;
  /** Full commit id; null before the first commit. */
  readonly head: string | null;
  /** Desired files whose bytes differ from HEAD's, untracked and ignored ones included. */
  readonly dirty: readonly string[];
  /** The branch that counts as merged: `origin/main`, or the local default branch without a remote; null if unknown. */
  readonly mainBranch: string | null;
  /** HEAD is on that branch. */
  readonly merged: boolean;
  /** That branch has since changed desired files: to apply HEAD would take nodes back. */
  readonly behind: boolean;
}

/** Writes to the working tree: all files or none, each by rename (DESIGN §3.1). */
export interface DesiredEditor {
  /**
   * Runs `edit` alone: a second editor of the same repository waits, and is told `busy` after a while. Files are written
   * in the order given, the generation first, so that a crash can leave a gap in the numbers but never an edit without
   * its bump.
   */
  exclusively<T>(
    edit: (files: DesiredFiles) => { readonly writes: readonly FileWrite[]; readonly result: T },
  ): Promise<{ readonly kind: "done"; readonly result: T } | EditorBusy>;
}

export interface EditorBusy {
  readonly kind: "busy";
  /** Who holds the repository, in one line. */
  readonly message: string;
  readonly hint: string;
}

export interface FileWrite {
  readonly path: string;
  /** Bytes for what may be no text; null removes the file. */
  readonly text: string | Uint8Array | null;
}

/** The past of a fleet repository, for what goes back (DESIGN §3.1). Read only. */
export interface History {
  /** The commit that a name stands for; undefined: there is none here. `firstParent` is null of a first commit. */
  commit(ref: string): Promise<{ readonly id: string; readonly firstParent: string | null } | undefined>;
  /** The newest commit on HEAD's first-parent line that changed a file at or under one of these paths; null: none did. */
  newestChange(paths: readonly string[]): Promise<string | null>;
  /** `ours` with what leads from `base` to `theirs`, line by line; null where both changed the same lines, or it is no text. */
  merge(texts: MergeTexts): Promise<Uint8Array | null>;
}

export interface MergeTexts {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** The door to secrets (host-state §2, DESIGN §3.2): references as written, `env:API_TOKEN`. */
export interface Secrets {
  /** Each reference is looked up once a run, so that one run sees one value of it. */
  resolve(reference: string): Promise<SecretResolution>;
  /** What a report may say of a value; keyed anew in each run. */
  hash(value: string): string;
  /** A text in which every value handed out so far is masked, whatever form it took. */
  redact(text: string): string;
}

/** What became of a reference. Messages name places, never values. */
export type SecretResolution =
  | { readonly kind: "value"; readonly value: string }
  /** This machine does not have it: what depends on it is deferred, and nothing is broken. */
  | { readonly kind: "absent"; readonly why: string }
  /** It is there and must not or cannot be used. */
  | { readonly kind: "problem"; readonly code: string; readonly message: string; readonly hint: string };

export interface Clock {
  now(): Date;
}

/** What a person sees while nodes are at work. Called often; must be cheap. */
export interface Progress {
  event(event: ProgressEvent): void;
  /** Leaves the terminal as it should stay. */
  end(): void;
}

export type ProgressEvent =
  | { readonly kind: "begin"; readonly task: "check" | "apply" | "reconcile"; readonly nodes: readonly string[] }
  /** Of a rollout, the next nodes that change together; `wave` counts from 0. */
  | {
      readonly kind: "wave";
      readonly unit: string;
      readonly wave: number;
      readonly of: number;
      readonly nodes: readonly string[];
    }
  | { readonly kind: "observing"; readonly node: string }
  | { readonly kind: "observed"; readonly node: string; readonly items: number }
  | {
      readonly kind: "acting";
      readonly node: string;
      readonly step: number;
      readonly of: number;
      readonly what: string;
    }
  | { readonly kind: "finished"; readonly node: string; readonly outcome: OutcomeCode };

/** The files of the observed refs (DESIGN §4), as one read saw them. Contents are UTF-8 text. */
export interface ObservedFiles {
  /** Commit of the observed branch; null: the branch is not there yet. */
  readonly commit: string | null;
  /** Sorted. */
  readonly paths: readonly string[];
  read(path: string): string | undefined;
}

/** path → new text; null removes the file. */
export type ObservedWrites = ReadonlyMap<string, string | null>;

/**
 * The record (DESIGN §4): three refs, on the remote where there is one and else in the local repository. All writes are
 * compare-and-swap; a lost race reads again and asks `edit` again, so `edit` must say what it wants of any files it is
 * given. No write leaves half of itself.
 */
export interface ObservedStore {
  /** Both branches, newest. */
  read(): Promise<{ readonly observed: ObservedFiles; readonly live: ObservedFiles }>;
  /**
   * One commit on `observed`; none when `edit` changes nothing. With `lock`, only while that is still held: it is renewed
   * in the same atomic push.
   */
  record(edit: (files: ObservedFiles) => ObservedWrites, options: RecordOptions): Promise<RecordAnswer>;
  /** Replaces `observed-live` by one commit without history. */
  publish(edit: (files: ObservedFiles) => ObservedWrites): Promise<RecordAnswer>;
  lock(request: LockRequest): Promise<LockAnswer>;
}

/** What `rollcall observed compact` needs besides (DESIGN §4). */
export interface ObservedCompaction {
  /** As `record`, but the new commit has nothing before it: the history of `observed` ends. */
  reroot(edit: (files: ObservedFiles) => ObservedWrites, options: RecordOptions): Promise<RecordAnswer>;
}

export interface RecordOptions {
  /** The commit's subject, conventional. */
  readonly message: string;
  readonly lock: HeldLock | null;
}

export type RecordAnswer =
  /** `files` are as they stand now, what others wrote included. */
  | { readonly kind: "recorded"; readonly files: ObservedFiles }
  | { readonly kind: "unchanged"; readonly files: ObservedFiles }
  /** Somebody else holds the lock now; nothing was written. */
  | { readonly kind: "lock-lost"; readonly by: string }
  /** The remote refuses or cannot be reached; nothing was written, or `hint` says that this is not certain. Codes are stable. */
  | { readonly kind: "failed"; readonly code: string; readonly message: string; readonly hint: string };

export interface LockRequest {
  /** Who, for people: `octocat, run 17 of reconcile.yml`. */
  readonly holder: string;
  readonly runId: string;
  /** Milliseconds that it lasts unless renewed. */
  readonly leaseMs: number;
  /** The reason to take it from a holder who still has it; null: only when it is free, expired or its holder is known to be dead. */
  readonly takeOver: string | null;
}

export type LockAnswer =
  /** `tookOver`: from whom and why, to be said loudly; null: it was free. */
  | { readonly kind: "held"; readonly lock: HeldLock; readonly tookOver: string | null }
  /** Codes: `locked`, `lock-clock` (its expiry is further ahead than any lease is: some clock is wrong). */
  | { readonly kind: "refused"; readonly code: string; readonly message: string; readonly hint: string };

export interface HeldLock {
  readonly runId: string;
  /** The fencing token for nodes (DESIGN §4, §7). */
  readonly epoch: number;
  /** Before every node that is to be changed: renews when it is time. Who has it now, when it is lost. */
  keep(): Promise<{ readonly lost: string | null }>;
  /** A higher epoch, because a node has seen `above`. False: the lock is lost. */
  raise(above: number): Promise<boolean>;
  /** Frees it. The epoch stays in the ref. Never throws. */
  release(): Promise<void>;
}

/** Runs the shell line of a down verdict on this machine, with an emptied environment (DESIGN §3). From main only. */
export interface Recheck {
  run(line: string): Promise<{ readonly passed: boolean; readonly message: string }>;
}

/**
 * Machines that are only imagined (DESIGN §1): the loop runs over them as it does over real ones, so that nothing decides a
 * second time what would happen. Nothing real is touched; the same needs give the same machine.
 */
export interface Simulator {
  imagine(needs: ImaginedNeeds): ImaginedMachine;
  /** Reaches them by name. */
  transport(machines: ReadonlyMap<string, ImaginedMachine>, faults: readonly ImaginedFault[]): Transport;
  /** A record that begins as these refs and is kept nowhere. */
  store(observed: ObservedFiles, live: ObservedFiles, clock: Clock): ObservedStore;
}

export interface ImaginedMachine {
  /** Its own record of what is rollcall's says these too. */
  owns(resources: readonly OwnedResource[]): void;
  /** From now on it is as a report saw it, as far as that can be imagined. */
  asObserved(items: readonly SeenItem[]): void;
}
