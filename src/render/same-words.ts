import { groupBy } from "../kit/group-by.ts";

/** What is to be said of one node. */
export interface NodeWords {
  readonly node: string;
  /** Groups never mix these: a reason's code. */
  readonly kind: string;
  readonly since: string | null;
  readonly what: string;
  readonly hint: string;
}

export interface GroupWords {
  /** By name. */
  readonly nodes: readonly string[];
  readonly kind: string;
  /** Earliest of them; null: nobody knows. */
  readonly since: string | null;
  /** Not all of them have the same `since`. */
  readonly andLater: boolean;
  readonly what: string;
  readonly hint: string;
}

/** So few stay apart when their own names stand in what is said of them, so that a command can be taken as it is. */
const APART = 3;

/**
 * Nodes of which the same is to be said, but for their own name, as one group, in the order of their first; the name stands
 * as `NODE` in the words of a group.
 */
export function sameWords(words: readonly NodeWords[]): readonly GroupWords[] {
  const groups = groupBy(words, (one) => JSON.stringify([one.kind, nameless(one.what, one), nameless(one.hint, one)]));
  const ofWord = new Map([...groups.values()].flatMap((group) => group.map((one) => [one, group] as const)));
  return words.flatMap((one): GroupWords[] => {
    const group = ofWord.get(one) ?? [one];
    const named = nameless(one.what, one) !== one.what || nameless(one.hint, one) !== one.hint;
    if (group.length === 1 || (named && group.length <= APART)) return [{ ...one, nodes: [one.node], andLater: false }];
    if (group[0] !== one) return [];
    const moments = group.flatMap(({ since }) => since ?? []);
    return [
      {
        nodes: group.map(({ node }) => node).sort(),
        kind: one.kind,
        since: moments.reduce<string | null>((first, next) => (first === null || next < first ? next : first), null),
        andLater: new Set(group.map(({ since }) => since)).size > 1,
        what: nameless(one.what, one),
        hint: nameless(one.hint, one),
      },
    ];
  });
}

function nameless(text: string, { node }: NodeWords): string {
  return text
    .split(/([\s"',;:()]+)/)
    .map((word) => (word === node ? "NODE" : word))
    .join("");
}
