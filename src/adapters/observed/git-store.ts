import { Trouble } from "../../kit/trouble.ts";
import type {
  Clock,
  HeldLock,
  LockAnswer,
  LockRequest,
  ObservedCompaction,
  ObservedFiles,
  ObservedStore,
  ObservedWrites,
  RecordAnswer,
} from "../../ports.ts";
import { demandGit } from "../git-process.ts";
import type { GitRefusal } from "../git-remote.ts";
import { buildCommits, type NewCommit } from "./build-commits.ts";
import { CommitFiles, newsIn } from "./commit-files.ts";
import { GitHeldLock, type LockDoors } from "./held-lock.ts";
import { isKnownDead } from "./holder-process.ts";
import { epochOf, lockCommit, newLock, readLock, type SeenLock } from "./lock-commit.ts";
import { freedomOf } from "./lock-freedom.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { untilWon } from "./races.ts";
import { type RefChange, refNames } from "./record-refs.ts";
import { recordRefs } from "./where-refs-live.ts";

export interface GitStoreOptions {
  /** `fleet.observed_branch`. */
  readonly branch: string;
  readonly clock: Clock;
}

interface Wish {
  readonly target: "observed" | "live";
  readonly edit: (files: ObservedFiles) => ObservedWrites;
  readonly message: string;
  readonly lock: HeldLock | null;
  /** Without what came before it. */
  readonly root: boolean;
}

/**
 * The record in git (DESIGN §4): on `origin` where there is one, else in the local repository. It goes by the objects
 * alone: working tree, index and HEAD are never touched. Reaches the remote with the checkout's own configuration.
 */
export function gitObservedStore(
  folder: string,
  { branch, clock }: GitStoreOptions,
): ObservedStore & ObservedCompaction {
  const refs = recordRefs(folder, refNames(branch));
  const parts = { observed: new CommitFiles(folder), live: new CommitFiles(folder) };
  const doors: Doors = { folder, refs, clock, parts, alone: oneAtATime() };
  const write = (wish: Wish) => doors.alone(() => written(doors, wish));
  return {
    read: () => doors.alone(() => readBoth(doors)),
    record: (edit, { message, lock }) => write({ target: "observed", edit, message, lock, root: false }),
    publish: (edit) => write({ target: "live", edit, message: "observe: signs of life", lock: null, root: true }),
    lock: (request) => doors.alone(() => takeLock(doors, request)),
    reroot: (edit, { message, lock }) => write({ target: "observed", edit, message, lock, root: true }),
  };
}

interface Doors extends LockDoors {
  readonly parts: Readonly<Record<"observed" | "live", CommitFiles>>;
}

async function readBoth({ refs, parts }: Doors) {
  const fetched = await refs.fetch();
  if (fetched.kind === "failed") throw new Trouble(fetched.message, fetched);
  return { observed: await parts.observed.at(fetched.tips.observed), live: await parts.live.at(fetched.tips.live) };
}

async function written(doors: Doors, wish: Wish): Promise<RecordAnswer> {
  return untilWon<RecordAnswer>(async () => {
    const { folder, refs, clock, parts } = doors;
    const fetched = await refs.fetch();
    if (fetched.kind === "failed") return fetched;
    const { tips } = fetched;
    const lock = wish.lock === null ? null : await renewalOf(wish.lock, tips.lock);
    if (lock !== null && "lost" in lock) return { kind: "lock-lost", by: lock.lost };
    const files = await parts[wish.target].at(tips[wish.target]);
    const writes = newsIn(files, wish.edit(files));
    if (writes.size === 0 && !(await losesHistory(folder, wish, files.commit))) return { kind: "unchanged", files };
    const at = clock.now();
    const commits = [await commitFor(folder, wish, files.commit, writes, at)];
    if (lock !== null) commits.push(lockCommit(lock.record, at));
    const built = await buildCommits(folder, commits);
    if (built.kind === "failed") return built;
    const [commit = "", renewal = ""] = built.ids;
    const changes: RefChange[] = [{ ref: wish.target, from: tips[wish.target], to: commit }];
    if (lock !== null) changes.push({ ref: "lock", from: tips.lock, to: renewal });
    const answer = await refs.swap(changes);
    if (answer.kind !== "swapped") return answer;
    lock?.held.landed(lock.record, renewal);
    return { kind: "recorded", files: await parts[wish.target].at(commit) };
  });
}

async function renewalOf(lock: HeldLock, tip: string | null) {
  if (!(lock instanceof GitHeldLock)) throw new Error("the lock is not of this store");
  const own = await lock.renewal(tip);
  return "lost" in own ? own : { held: lock, record: own.record };
}

/** A new root is also news when nothing else is, as long as there is something before it. */
async function losesHistory(folder: string, { target, root }: Wish, commit: string | null): Promise<boolean> {
  if (!root || target === "live" || commit === null) return false;
  const [header = ""] = (await demandGit(folder, ["cat-file", "commit", commit])).toString("latin1").split("\n\n", 1);
  return /^parent /m.test(header);
}

async function commitFor(
  folder: string,
  { message, root }: Wish,
  base: string | null,
  writes: ObservedWrites,
  at: Date,
): Promise<NewCommit> {
  if (!root || base === null) return { message: `${message}\n`, at, parent: base, tree: null, writes };
  const tree = (await demandGit(folder, ["rev-parse", "--verify", `${base}^{tree}`])).toString().trim();
  return { message: `${message}\n`, at, parent: null, tree, writes };
}

async function takeLock(doors: Doors, request: LockRequest): Promise<LockAnswer> {
  let meant: string | null = null;
  const answer = await untilWon<LockAnswer | GitRefusal>(async (attempt) => {
    const fetched = await doors.refs.fetch();
    if (fetched.kind === "failed") return fetched;
    const seen = await readLock(doors.folder, fetched.tips.lock);
    if (attempt === 1) meant = tokenOf(seen);
    // A reason counts against the holder it was given for, not against whoever was quicker to take it over.
    const takeOver = tokenOf(seen) === meant ? request.takeOver : null;
    return lockFrom(doors, { ...request, takeOver }, fetched.tips.lock, seen);
  });
  return answer.kind === "failed" ? { ...answer, kind: "refused" } : answer;
}

function tokenOf(seen: SeenLock): string | null {
  return seen.kind === "record" ? (seen.record.token ?? seen.record.run_id) : null;
}

/** One attempt at the lock, from what was seen at `tip`. */
async function lockFrom(doors: Doors, request: LockRequest, tip: string | null, seen: SeenLock) {
  const { folder, refs, clock } = doors;
  const now = clock.now();
  const dead = seen.kind === "record" && isKnownDead(seen.record.process);
  const freedom = freedomOf(seen, request, now, dead);
  if (freedom.kind === "refused") return freedom;
  const record = newLock(request, epochOf(seen) + 1, now, freedom.tookOver);
  const built = await buildCommits(folder, [lockCommit(record, now)]);
  if (built.kind === "failed") return built;
  const [commit = ""] = built.ids;
  const answer = await refs.swap([{ ref: "lock", from: tip, to: commit }]);
  if (answer.kind !== "swapped") return answer;
  const lock = new GitHeldLock(doors, record, commit, request.leaseMs);
  return { kind: "held", lock, tookOver: freedom.tookOver } as const;
}
