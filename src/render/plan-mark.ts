/** The first line of the one plan comment of a pull request (DESIGN §6); it counts only in a comment of our own. */
export const PLAN_MARK = "<!-- rollcall:plan -->";

/** What a plan that people looked at was made from, so that it can be made again. Ids of commits are full. */
export interface PlanMark {
  /** What nodes were taken to be at. */
  readonly base: string | null;
  /** The newest commit of the change itself: it stays, whatever becomes of the merge. */
  readonly head: string;
  /** The commit whose files were planned: of the change merged into its base for a trial, or `head` itself. */
  readonly merge: string;
  /** Of the observed branch; null: there was none. */
  readonly observed: string | null;
  /** sha256 of the document. */
  readonly digest: string;
}

/** The first two lines of the comment. */
export function planMarkLines({ base, head, merge, observed, digest }: PlanMark): readonly [string, string] {
  const facts = `base=${base ?? "none"} head=${head} merge=${merge} observed=${observed ?? "none"} digest=${digest}`;
  return [PLAN_MARK, `<!-- v=1 ${facts} -->`];
}

const SECOND_LINE =
  /^<!-- v=1 base=(none|[0-9a-f]{40,64}) head=([0-9a-f]{40,64}) merge=([0-9a-f]{40,64}) observed=(none|[0-9a-f]{40,64}) digest=([0-9a-f]{64}) -->$/;

/** Of a comment that is known to be ours. undefined: it bears no mark of this kind, and is looked for nowhere else in it. */
export function readPlanMark(body: string): PlanMark | undefined {
  const [first, second = ""] = body.split(/\r?\n/, 2);
  const [, base = "none", head, merge, observed = "none", digest] = SECOND_LINE.exec(second) ?? [];
  if (first !== PLAN_MARK || head === undefined || merge === undefined || digest === undefined) return undefined;
  const id = (word: string) => (word === "none" ? null : word);
  return { base: id(base), head, merge, observed: id(observed), digest };
}
