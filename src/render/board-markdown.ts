import type { Board } from "../model/board.ts";
import { type BoardBlock, type BoardLine, boardBlock, boardSummary } from "./board-view.ts";
import { markdownCode, markdownText } from "./markdown-text.ts";

/**
 * The board as Markdown, for `board.md` on the observed branch and for summaries of jobs (DESIGN §4). Equal meaning has equal
 * bytes: no commit of its own branch, and no time at which something was merely read again.
 */
export function boardMarkdown(board: Board): string {
  const blocks = board.units.map((unit) => boardBlock(unit, true));
  const enforced = blocks.filter(({ unit }) => unit.enforced);
  const observed = blocks.filter(({ unit }) => !unit.enforced);
  return [
    "# Board",
    "",
    `Generation ${board.generation}. **${boardSummary(board)}**`,
    ...damagedLines(board),
    ...(enforced.length === 0 ? [] : ["", ...table(enforced)]),
    ...enforced.flatMap(section),
    ...(observed.length === 0 ? [] : ["", "## Only observed, never acted on, not counted", "", ...table(observed)]),
    ...observed.flatMap(section),
    "",
  ].join("\n");
}

function table(blocks: readonly BoardBlock[]): readonly string[] {
  return [
    "| unit | | targets | applied | claimed | pending | not for me | stands |",
    "|---|---|--:|--:|--:|--:|--:|---|",
    ...blocks.map(({ name, unit, rows, standing }) => {
      const counts = rows.map(({ label, count }) =>
        label === "pending" && count > 0 ? `**${count}**` : String(count),
      );
      const cells = [
        markdownCode(name),
        markdownText(unit.title),
        String(unit.targets),
        ...counts,
        markdownText(standing),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
  ];
}

function section({ name, rows, loud, goOn }: BoardBlock): readonly string[] {
  const filled = rows.filter(({ lines }) => lines.length > 0);
  return [
    "",
    `### ${markdownCode(name)}`,
    "",
    ...loud.map(({ label, text }) => `- **${label}** ${markdownText(text)}`),
    ...filled.flatMap(({ label, count, lines }) => {
      const [only] = lines;
      if (lines.length === 1 && only !== undefined) return [`- **${label}** ${count}: ${lineText(only)}`];
      return [`- **${label}** ${count}`, ...lines.map((line) => `  - ${nodesOf(line)}${lineText(line)}`)];
    }),
    ...(goOn === "" ? [] : [`- **go on** ${markdownCode(goOn)}`]),
  ];
}

function nodesOf({ nodes }: BoardLine): string {
  return nodes === 1 ? "" : `${nodes} nodes: `;
}

function lineText({ names, what, hint }: BoardLine): string {
  const way = hint === "" ? "" : ` → ${markdownCode(hint)}`;
  return `${markdownCode(names)} ${markdownText(what)}${way}`;
}

function damagedLines({ damaged }: Board): readonly string[] {
  if (damaged.length === 0) return [];
  const lines = damaged.map(({ path, message }) => `- ${markdownCode(path)} ${markdownText(message)}`);
  return ["", "Files of the record that cannot be read, and count as absent:", "", ...lines];
}
