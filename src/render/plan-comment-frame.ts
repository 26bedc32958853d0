import type { Moved } from "../plan/moved.ts";
import type { PlanMark } from "./plan-mark.ts";

/** All that a plan comment says besides the plan itself. */
export interface PlanFrame {
  /** null: this text is no comment (a summary). */
  readonly mark: PlanMark | null;
  /** The run's page, where the artifact is; null: there is none. */
  readonly run: string | null;
  /** Address of the repository's files at the commit that was planned, without a slash at the end; null: no links. */
  readonly files: string | null;
  /** Sentences of our own on how this plan came to be: of a fork, without what could not be asked. */
  readonly notes: readonly string[];
  readonly look: LastLook;
}

/** What became of the plan that people saw before. */
export type LastLook =
  | { readonly kind: "first" }
  | { readonly kind: "same"; readonly head: string }
  | {
      readonly kind: "moved";
      /** Newest commit of the change then and now. */
      readonly head: { readonly from: string; readonly to: string };
      readonly base: { readonly from: string | null; readonly to: string | null };
      readonly observed: { readonly from: string | null; readonly to: string | null };
      readonly moved: readonly Moved[];
      /** {@link decisionKey} of those that stood there already. */
      readonly seen: ReadonlySet<string>;
    }
  /** It cannot be made again. */
  | { readonly kind: "gone"; readonly head: string; readonly why: string };

/** How much of it is told; the less, the further down {@link STAGES}. */
export interface Detail {
  /** Lines of each diff; 0: none. */
  readonly diffLines: number;
  /** Groups that read the same but for what files hold share a fold, with the diff of the first as an example. */
  readonly merged: boolean;
  /** Items of a unit's groups in full, only how many of what kind, or not at all. */
  readonly items: "full" | "counts" | "none";
  /** Units with a section of their own. */
  readonly sections: number;
  /** Rows of the table of units. */
  readonly rows: number;
  /** Decisions of one code, blocks, destructive and released items, moves: lines of each. */
  readonly lines: number;
  /** Characters of one text that somebody else wrote. */
  readonly characters: number;
  /** What was left out, in words; empty: nothing. */
  readonly left: string;
}

const ALL: Detail = {
  diffLines: 400,
  merged: false,
  items: "full",
  sections: 100_000,
  rows: 100_000,
  lines: 100_000,
  characters: 4000,
  left: "",
};

/** From everything to the least that still lets a reader decide. The last ones fit for any plan. */
export const STAGES: readonly Detail[] = [
  ALL,
  { ...ALL, diffLines: 60, left: "long diffs are cut after 60 lines" },
  { ...ALL, diffLines: 60, merged: true, left: "of files that differ from node to node one diff is shown" },
  { ...ALL, diffLines: 15, merged: true, left: "diffs are cut after 15 lines, and one of a kind is shown" },
  { ...ALL, diffLines: 0, merged: true, left: "diffs are left out" },
  { ...ALL, diffLines: 0, merged: true, items: "counts", left: "diffs are left out, items are only counted" },
  few({ sections: 100_000, rows: 100_000, lines: 100_000, characters: 600 }),
  ...[60, 20].map((sections) => few({ sections, rows: 400, lines: 200, characters: 400 })),
  few({ sections: 0, rows: 200, lines: 80, characters: 300 }),
  few({ sections: 0, rows: 60, lines: 25, characters: 240 }),
  few({ sections: 0, rows: 15, lines: 8, characters: 200 }),
  few({ sections: 0, rows: 0, lines: 2, characters: 160 }),
];

function few(some: Pick<Detail, "sections" | "rows" | "lines" | "characters">): Detail {
  const { sections, lines } = some;
  const units =
    sections === 0
      ? ["units are only a table"]
      : sections < 1000
        ? [`only the first ${sections} units are told in full`]
        : [];
  const lists = lines < 1000 ? ["long lists are counted"] : [];
  const left = ["items are left out, but for what is destructive or released", ...units, ...lists].join("; ");
  return { ...ALL, diffLines: 0, merged: true, items: "none", ...some, left };
}
