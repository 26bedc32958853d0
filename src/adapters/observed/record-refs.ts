import type { GitAnswer } from "../git-process.ts";
import { type GitRefusal, refusalOf } from "../git-remote.ts";
import type { Raced } from "./races.ts";

/** The three refs of the record (DESIGN §4). */
export const RECORD_REFS = ["observed", "live", "lock"] as const;
export type RecordRef = (typeof RECORD_REFS)[number];
export type RefNames = Readonly<Record<RecordRef, string>>;
/** Commit ids; null: the ref is not there. */
export type Tips = Readonly<Record<RecordRef, string | null>>;

export interface RefChange {
  readonly ref: RecordRef;
  readonly from: string | null;
  readonly to: string;
}

/** `raced`: some ref is not what it was; nothing was written. */
export type SwapAnswer = { readonly kind: "swapped" } | Raced | GitRefusal;
export type FetchAnswer = { readonly kind: "fetched"; readonly tips: Tips } | GitRefusal;

/** Where the refs live: on the remote, or here. */
export interface RecordRefs {
  /** Tips as they are now; their objects are here afterwards. */
  fetch(): Promise<FetchAnswer>;
  /** All of them, or none. */
  swap(changes: readonly RefChange[]): Promise<SwapAnswer>;
}

export function refNames(branch: string): RefNames {
  return { observed: `refs/heads/${branch}`, live: `refs/heads/${branch}-live`, lock: "refs/rollcall/lock" };
}

export const NO_TIPS: Tips = { observed: null, live: null, lock: null };

/** What git says when somebody else was at the same ref at the same moment, and a second look shows nothing. */
const COLLISION =
  /stale info|cannot lock ref|failed to (lock|update ref)|already exists|unable to create .*\.lock|fetch first|non-fast-forward|unable to update local ref/i;

/**
 * What a failed swap means is read from the refs themselves, not from git's words: a push whose answer was lost may have
 * landed, and a remote that says "failed to update ref" may mean a race or a rule.
 */
export function meaningOf(
  changes: readonly RefChange[],
  answer: GitAnswer,
  tips: Tips | null,
  complaint: string,
): SwapAnswer {
  const words = refusalOf(answer, complaint);
  if (tips === null) return words;
  if (changes.every(({ ref, to }) => tips[ref] === to)) return { kind: "swapped" };
  const moved = changes.some(({ ref, from }) => tips[ref] !== from);
  return moved || COLLISION.test(`${complaint}\n${answer.err}`) ? { kind: "raced", words: words.message } : words;
}

/** Is it one git process in the way of another, in this very repository? */
export function isCollision(answer: GitAnswer): boolean {
  return answer.code !== 0 && COLLISION.test(answer.err);
}
