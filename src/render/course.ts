import type { CourseNode, UnitCourse } from "../plan/unit-course.ts";
import { length } from "./columns.ts";
import { broken, PAGE } from "./fitting.ts";
import { nodeNames } from "./node-names.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** A rollout's waves in their order, `db-01 → web-01 (failed) → db-02 desk-01 (not yet)`, and who goes first and why. */
export function courseLines({ waves, canary, second_look_missing, warnings }: UnitCourse, paint: Paint): string[] {
  const loud = [...(second_look_missing === null ? [] : [`no second look: ${second_look_missing}`]), ...warnings];
  return [
    ...inLines(waves.map((wave) => groupsOf(wave, paint)).map(joined), paint),
    ...wrapped(canary, "    ", paint.dim),
    ...loud.flatMap((line) => wrapped(`! ${line}`, "  ", paint.yellow)),
  ];
}

/** `text` of nodes and git, in lines that keep to the page. */
export function wrapped(text: string, indent: string, colour: (line: string) => string = same): string[] {
  return broken(visible(text), PAGE - indent.length).map((line) => `${indent}${colour(line)}`);
}

/** What it looks like, and how long it is without colours. */
interface Piece {
  readonly plain: string;
  readonly painted: string;
}

/** Nodes of a wave that fared alike, in the order of {@link WORDS}. What is well or still to come is folded; what is not is named. */
function groupsOf(wave: readonly CourseNode[], paint: Paint): Piece[] {
  const groups = new Map<string, string[]>();
  for (const node of wave) groups.set(fateOf(node), [...(groups.get(fateOf(node)) ?? []), node.node]);
  const weight = (fate: string): number => (fate === APPLIED ? 0 : fate === LATER ? 2 : 1);
  return [...groups]
    .sort(([a], [b]) => weight(a) - weight(b))
    .map(([fate, nodes]) => {
      const names = visible(nodeNames(nodes));
      const plain = fate === APPLIED ? names : `${names} (${fate})`;
      const colour = fate === APPLIED ? paint.green : fate === LATER ? paint.dim : paint.red;
      return { plain, painted: colour(plain) };
    });
}

const APPLIED = "applied";
const LATER = "not yet";

function fateOf({ state, outcome, skipped }: CourseNode): string {
  switch (state) {
    case "succeeded":
      return APPLIED;
    case "pending":
      return LATER;
    case "failed":
      return outcome === null || outcome === "converged" ? "failed" : outcome;
    case "skipped":
      return skipped === null ? "skipped" : `skipped: ${skipped}`;
    case "rolled_back":
      return "rolled back";
    case "in_progress":
    case "validating":
      return "begun";
  }
}

function joined(groups: readonly Piece[]): Piece {
  return {
    plain: groups.map(({ plain }) => plain).join(", "),
    painted: groups.map(({ painted }) => painted).join(", "),
  };
}

/** A line goes on below where the page ends, at an arrow. */
function inLines(waves: readonly Piece[], paint: Paint): string[] {
  const lines: { plain: string; painted: string }[] = [];
  for (const wave of waves) {
    const last = lines.at(-1);
    const arrow = last === undefined ? "  " : `${paint.dim("→")} `;
    if (last !== undefined && length(last.plain) + 3 + length(wave.plain) <= PAGE) {
      last.plain += ` → ${wave.plain}`;
      last.painted += ` ${arrow}${wave.painted}`;
    } else if (last === undefined) lines.push({ plain: `  ${wave.plain}`, painted: `  ${wave.painted}` });
    else lines.push({ plain: `  → ${wave.plain}`, painted: `  ${arrow}${wave.painted}` });
  }
  return lines.map(({ painted }) => painted);
}

const same = (text: string): string => text;
