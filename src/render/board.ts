import type { Board } from "../model/board.ts";
import { type BoardBlock, type BoardRow, boardBlock, boardSummary, shortMoment } from "./board-view.ts";
import { columns } from "./columns.ts";
import { clipped } from "./fitting.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** `board` for people (DESIGN §5): the four states of each unit, and in the last line what the exit code will be. */
export function renderBoard(board: Board, exit: number, paint: Paint): string {
  const blocks = board.units.map((unit) => boardBlock(unit, false));
  const enforced = blocks.filter(({ unit }) => unit.enforced);
  const observed = blocks.filter(({ unit }) => !unit.enforced);
  const summary = boardSummary(board);
  return [
    ...top(board, paint),
    ...blocksText(enforced, paint),
    ...(observed.length === 0 ? [] : ["", paint.dim("Only observed, never acted on, not counted:")]),
    ...blocksText(observed, paint),
    "",
    `${exit === 0 ? paint.green(summary) : paint.yellow(summary)}  ${paint.dim(`exit ${exit}`)}`,
    "",
  ].join("\n");
}

function top({ generation, desired, observed, damaged }: Board, paint: Paint): readonly string[] {
  const at = desired.commit === null ? "" : ` at ${desired.commit.slice(0, 7)}`;
  const seen = observed.commit === null ? "nothing is recorded yet" : `observed at ${observed.commit.slice(0, 7)}`;
  const read = observed.read_at === null ? "no node ever answered" : `last answer ${shortMoment(observed.read_at)}`;
  return [
    `generation ${generation}${at} · ${seen} · ${read}`,
    ...standsOn(desired).map((line) => paint.yellow(line)),
    ...damagedLines(damaged).map((line) => paint.red(visible(line))),
  ];
}

/** What the reader may take for wanted and is not, or is and nobody reviewed. */
function standsOn({ source, branch, unmerged }: Board["desired"]): readonly string[] {
  if (source === "working-tree")
    return ["there is no main branch: this is about the working tree, which nobody reviewed"];
  return unmerged ? [`what the working tree has besides ${visible(branch ?? "main")} is not in here`] : [];
}

const MOST_DAMAGED = 5;

function damagedLines(damaged: Board["damaged"]): readonly string[] {
  const lines = damaged
    .slice(0, MOST_DAMAGED)
    .map(({ path, message }) => `damaged, counts as absent: ${path}: ${message}`);
  const left = damaged.length - lines.length;
  return left > 0 ? [...lines, `and ${left} more damaged files: rollcall board --json`] : lines;
}

/** Headings are aligned with each other, and the rows of a unit among themselves. */
function blocksText(blocks: readonly BoardBlock[], paint: Paint): readonly string[] {
  const headings = columns(
    blocks.map((block) => [
      block.name,
      clipped(visible(block.unit.title), TITLE),
      block.targets,
      visible(block.standing),
    ]),
  );
  return blocks.flatMap((block, index) => {
    const heading = headings[index] ?? block.name;
    const colour = block.unit.behind && block.unit.enforced ? paint.yellow : paint.bold;
    return ["", colour(block.name) + heading.slice(block.name.length), ...rowLines(block, paint)];
  });
}

function rowLines(block: BoardBlock, paint: Paint): readonly string[] {
  // A unit that is in has nobody to speak of in the other states.
  const rows = block.unit.behind ? block.rows : block.rows.filter(({ count }) => count > 0);
  const lines = columns(rows.flatMap(cells), "  ");
  const colours = rows.flatMap((row) => cells(row).map((_, index) => (index === 0 ? colourOf(row, paint) : same)));
  const loud = block.loud.map(({ label, text }) => {
    const colour = label === "ESCAPE" ? paint.red : paint.yellow;
    return `  ${colour(label.padEnd(LABEL))}  ${visible(text)}`;
  });
  const goOn = block.goOn === "" ? [] : [`  ${"go on".padEnd(LABEL)}  ${paint.cyan(`→ ${visible(block.goOn)}`)}`];
  return [...lines.map((line, index) => paintLine(line, colours[index] ?? same, paint)), ...loud, ...goOn];
}

const LABEL = "not for me".length;
/** So many are seen to be so many. */
const FEW = 4;

function cells({ label, count, lines }: BoardRow): readonly (readonly string[])[] {
  const [first, ...more] = lines.map(({ names, nodes, what, hint }) => [
    visible(nodes > FEW && label !== "applied" ? `${nodes} nodes: ${names}` : names),
    visible(what),
    hint === "" ? "" : `→ ${visible(hint)}`,
  ]);
  const begin = [label.padEnd(LABEL), String(count).padStart(5)];
  return [[...begin, ...(first ?? [])], ...more.map((cell) => ["", "", ...cell])];
}

/** Painted when the columns stand: what colours cost in characters must not move them. */
function paintLine(line: string, colour: (text: string) => string, paint: Paint): string {
  const label = line.slice(0, 2 + LABEL);
  const rest = line.slice(2 + LABEL);
  const arrow = rest.lastIndexOf("→ ");
  const way = arrow === -1 ? rest : rest.slice(0, arrow) + paint.cyan(rest.slice(arrow));
  return (label.trim() === "" ? label : colour(label)) + way;
}

function colourOf({ label, count }: BoardRow, paint: Paint): (text: string) => string {
  if (count === 0) return paint.dim;
  if (label === "applied") return paint.green;
  return label === "not for me" ? same : paint.yellow;
}

const same = (text: string): string => text;

/** A title is there to recognise the unit. */
const TITLE = 50;
