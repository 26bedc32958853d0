import { groupBy } from "../kit/group-by.ts";
import type { DecisionCode, PlanDecision, PlanDocument, PlanFinding, PlannedItem } from "../model/plan-document.ts";
import { markdownCode, markdownText } from "./markdown-text.ts";
import type { Detail, PlanFrame } from "./plan-comment-frame.ts";
import { codeCell, cut, isDestructive, namesCode, sentence, unitName } from "./plan-comment-words.ts";
import { plural } from "./plan-words.ts";

/** What makes it the same decision in two plans. */
export function decisionKey({ code, unit, subject, nodes }: PlanDecision): string {
  return JSON.stringify([code, unit, subject, nodes]);
}

/** What blocks, never folded. */
export function blockLines({ blocks }: PlanDocument, frame: PlanFrame, detail: Detail): readonly string[] {
  if (blocks.length === 0) return [];
  return [
    "",
    "> [!CAUTION]",
    `> **Blocked by ${plural(blocks.length, "finding")}.** Nothing of this would be done: a merge is refused before any node is touched.`,
    "",
    ...bounded(blocks, detail, (finding) => findingLine(finding, frame, detail), countOf("finding")),
  ];
}

export function warningLines({ warnings }: PlanDocument, frame: PlanFrame, detail: Detail): readonly string[] {
  if (warnings.length === 0) return [];
  const lines = bounded(warnings, detail, (finding) => findingLine(finding, frame, detail), countOf("warning"));
  return ["", `**${plural(warnings.length, "warning")}**`, ...lines];
}

function findingLine({ code, message, hint, file, line }: PlanFinding, frame: PlanFrame, detail: Detail): string {
  const way = hint === "" ? "" : ` → ${sentence(hint, detail)}`;
  return `- **${markdownText(code)}** ${placeWords(file, line, frame, detail)}${sentence(message, detail)}${way}`;
}

/** `roster/fleet.yaml:2`, as a link where there is something to link to. */
function placeWords(file: string | null, line: number | null, { files }: PlanFrame, detail: Detail): string {
  if (file === null) return "";
  const place = markdownCode(cut(`${file}${line === null ? "" : `:${line}`}`, detail.characters));
  if (files === null || file.length > 400) return `${place} `;
  // Half a character has no encoding.
  const whole = file.replace(/[\ud800-\udfff]/gu, "\ufffd");
  const address = whole.split("/").map(encodeURIComponent).join("/").replace(/[()']/g, escaped);
  return `[${place}](${files}/${address}${line === null ? "" : `#L${line}`}) `;
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

const LABELS: Readonly<Record<DecisionCode, string>> = {
  removes: "Removes",
  overwrites: "Writes over what somebody changed on the node",
  "last-healthy": "Last healthy node",
  "second-look-missing": "The second look is missing",
  canary: "Canary",
  escape: "Escape",
  unprovable: "Cannot be proved",
  unproved: "Not known",
  obstacle: "Cannot be done",
  stopped: "Stands still",
  nobody: "Nobody can be attempted",
};

/** The gravest first; of each kind as many as there is room for, and how many more. */
export function decisionLines(document: PlanDocument, frame: PlanFrame, detail: Detail): readonly string[] {
  const { decisions } = document;
  if (decisions.length === 0) return [];
  const whys = itemsByPlace(document);
  const kinds = [...groupBy(decisions, ({ code }) => code)];
  const isNew = (decision: PlanDecision) => frame.look.kind === "moved" && !frame.look.seen.has(decisionKey(decision));
  return [
    "",
    "**To decide**",
    ...kinds.flatMap(([code, those]) =>
      bounded(
        those,
        detail,
        (decision) => {
          const mark = isNew(decision) ? " *(new since the last look)*" : "";
          return `- **${LABELS[code]}**${mark} ${decisionWords(decision, whys, detail)}`;
        },
        (more) => `${more === 1 ? "decision" : "decisions"} of this kind (**${LABELS[code]}**)`,
      ),
    ),
  ];
}

type ItemsByPlace = ReadonlyMap<string, PlannedItem>;

function itemsByPlace({ units }: PlanDocument): ItemsByPlace {
  return new Map(
    units.flatMap(({ unit, groups }) =>
      groups.flatMap(({ items }) => items.map((item) => [`${unit} ${item.resource}`, item] as const)),
    ),
  );
}

function decisionWords(decision: PlanDecision, items: ItemsByPlace, detail: Detail): string {
  const { code, unit, subject, nodes, text } = decision;
  const of = unit === null ? [] : [unitName(unit)];
  const where = of.length === 0 ? "" : ` (${of[0]})`;
  const on = nodes.length === 0 ? "" : `${namesCode(nodes, detail)}${inBrackets([...manyNodes(nodes), ...of])}`;
  const subjectCode = markdownCode(cut(subject, detail.characters));
  switch (code) {
    case "removes": {
      const item = items.get(`${unit} ${subject}`);
      return `${subjectCode} from ${on}: ${sentence(item?.why ?? text, detail)}`;
    }
    case "overwrites":
      return `${subjectCode} on ${on}: the audit read something else there than the node had proved; what stands there is lost`;
    case "obstacle":
      return `${sentence(text, detail)} · on ${on}`;
    case "escape":
      return `${subjectCode}${where}: ${sentence(text, detail)}`;
    case "second-look-missing":
      return `${of.length === 0 ? "" : `for ${of[0]}`}: ${sentence(text, detail)}`;
    case "last-healthy":
    case "canary":
    case "unprovable":
    case "unproved":
    case "stopped":
    case "nobody": {
      const those = nodes.length === 0 ? "" : ` · ${namesCode(nodes, detail)}${inBrackets(manyNodes(nodes))}`;
      return `${of.length === 0 ? "" : `${of[0]}: `}${sentence(text, detail)}${those}`;
    }
  }
}

/** Names may stand as the ends of runs, so that how many there are is said of more than a few. */
function manyNodes(nodes: readonly string[]): readonly string[] {
  return nodes.length > 3 ? [`${nodes.length} nodes`] : [];
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

interface Loss {
  readonly unit: string;
  readonly item: PlannedItem;
  readonly nodes: readonly string[];
}

/** Destructive and released items that no decision names, never folded; what meets the same nodes alike stands in one line. */
export function lossLines(document: PlanDocument, detail: Detail): readonly string[] {
  const losses = lossesOf(document);
  if (losses.length === 0) return [];
  const alike = groupBy(losses, (loss) => JSON.stringify([loss.unit, lossWord(loss.item), loss.item.why, loss.nodes]));
  const lines = bounded([...alike.values()], detail, (those) => lossLine(those, detail), countOf("such line"));
  return ["", "**Destructive and released**", ...lines];
}

function lossLine(losses: readonly Loss[], detail: Detail): string {
  const [first] = losses;
  if (first === undefined) return "";
  const shown = losses.slice(0, Math.min(30, detail.lines)).map(({ item: { resource, params } }) => {
    const versions = params.downgrade === true ? ` ${String(params.from)} → ${String(params.version)}` : "";
    return `${codeCell(cut(resource, detail.characters))}${sentence(versions, detail)}`;
  });
  const more = losses.length - shown.length;
  const what = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const { unit, item, nodes } = first;
  const on = `${namesCode(nodes, detail)}${inBrackets([...manyNodes(nodes), unitName(unit)])}`;
  return `- **${lossWord(item)}** ${what} on ${on}: ${sentence(item.why, detail)}`;
}

function lossesOf({ decisions, units }: PlanDocument): readonly Loss[] {
  const removes = decisions.filter(({ code }) => code === "removes");
  const decided = new Set(removes.map(({ unit, subject }) => `${unit} ${subject}`));
  const losses = new Map<string, { unit: string; item: PlannedItem; nodes: string[] }>();
  for (const { unit, groups } of units) {
    for (const { nodes, items } of groups) {
      for (const item of items) {
        if (item.kind !== "keep" && (!isDestructive(item) || decided.has(`${unit} ${item.resource}`))) continue;
        const key = `${unit} ${item.kind} ${item.verb} ${item.resource}`;
        const known = losses.get(key);
        if (known === undefined) losses.set(key, { unit, item, nodes: [...nodes] });
        else known.nodes.push(...nodes);
      }
    }
  }
  return [...losses.values()].map((loss) => ({ ...loss, nodes: loss.nodes.toSorted() }));
}

function lossWord({ kind, verb }: PlannedItem): string {
  if (kind === "keep") return "Let go of, it stays:";
  if (kind === "remove") return "Removed:";
  if (verb === "upgrade") return "Taken back to an older version:";
  return verb === "stop" ? "Stopped:" : "Disabled:";
}

export function countOf(word: string): (count: number) => string {
  return (count) => (count === 1 ? word : `${word}s`);
}

/** What is cut is counted, never dropped without a word. */
export function bounded<One>(
  all: readonly One[],
  { lines }: Pick<Detail, "lines">,
  line: (one: One) => string,
  /** For so many. */
  word: (count: number) => string,
): readonly string[] {
  const shown = all.slice(0, lines);
  const more = all.length - shown.length;
  const rest = more === 0 ? [] : [`- … and **${more} more** ${word(more)}; the full plan has them all`];
  return [...shown.map(line), ...rest];
}
