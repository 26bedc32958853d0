import { groupBy } from "../kit/group-by.ts";
import type { PlanDocument, PlannedNode } from "../model/plan-document.ts";
import type { Moved } from "../plan/moved.ts";
import { markdownCode } from "./markdown-text.ts";
import { shownMoment } from "./moment.ts";
import { blockLines, bounded, countOf, decisionLines, lossLines, warningLines } from "./plan-comment-decisions.ts";
import { type Detail, type LastLook, type PlanFrame, STAGES } from "./plan-comment-frame.ts";
import { unitSections, unitTable } from "./plan-comment-units.ts";
import { cut, htmlCode, htmlText, namesCode, nodesByName, sentence, unitName } from "./plan-comment-words.ts";
import { planMarkLines } from "./plan-mark.ts";
import { countsWords, durationWords, generationWords, plural } from "./plan-words.ts";

/**
 * The plan comment (DESIGN §6): what blocks and what is to be decided, then how much, then every unit. It reads the document
 * and nothing else; the same inputs give the same bytes, of at most `limit` UTF-16 units. What does not fit goes in the order
 * of {@link STAGES}; blocks, decisions, counts and destructive items stay, or are counted where there are too many.
 */
export function planComment(document: PlanDocument, frame: PlanFrame, limit: number): string {
  let text = "";
  for (const detail of STAGES) {
    text = withDetail(document, frame, detail);
    if (text.length <= limit) return text;
  }
  throw new Error(`no stage of the plan comment fits into ${limit} characters: ${text.length}`);
}

function withDetail(document: PlanDocument, frame: PlanFrame, detail: Detail): string {
  const nodes = nodesByName(document);
  return [
    ...(frame.mark === null ? [] : planMarkLines(frame.mark)),
    `### rollcall · ${headline(document)}`,
    ...blockLines(document, frame, detail),
    ...decisionLines(document, frame, detail),
    ...countLines(document, frame, detail),
    ...lookLines(frame.look, detail),
    ...lossLines(document, detail),
    ...warningLines(document, frame, detail),
    ...unitTable(document, detail),
    ...unitSections(document.units, nodes, detail),
    ...footer(document, frame, detail),
    "",
  ].join("\n");
}

function headline(document: PlanDocument): string {
  const { blocks, counts, units } = document;
  const generation = generationWords(document);
  if (blocks.length > 0 && units.length === 0) return `${generation} · **blocked**`;
  const nodes = plural(counts.of_nodes, "node");
  const scope =
    counts.units === 0 ? `nothing to do on ${nodes}` : `${plural(counts.units, "unit")} on ${counts.nodes} of ${nodes}`;
  return [generation, ...(blocks.length > 0 ? ["**blocked**"] : []), scope].join(" · ");
}

function countLines(document: PlanDocument, { run }: PlanFrame, detail: Detail): readonly string[] {
  const { counts, worst_risk, units, blocks } = document;
  if (units.length === 0) {
    if (blocks.length > 0) return [];
    return [
      "",
      "Every node that should have something has proved it, and this changes nothing that a node has.",
      ...factLines(document, detail),
    ];
  }
  const risk = worst_risk === "none" ? [] : [`worst risk ${worst_risk}`];
  const full = run === null ? [] : [`[full plan](${run})`];
  const line = [`**${countsWords(counts)}**`, ...risk, ...durations(document), ...full].join(" · ");
  return ["", line, ...factLines(document, detail)];
}

/** Units go one after the other; where one never ran there is no sum. */
function durations({ units }: PlanDocument): readonly string[] {
  const attempted = units.filter(({ waves }) => waves.length > 0);
  const known = attempted.flatMap(({ duration }) => duration.expected_ms ?? []);
  const waits = attempted.flatMap(({ duration }) => duration.worst_wait_ms ?? []);
  const sum = known.reduce((total, ms) => total + ms, 0);
  const wait = waits.length === 0 ? "" : `, then up to ${durationWords(Math.max(...waits))} for the next scheduled run`;
  if (attempted.length === 0) return [];
  return known.length < attempted.length ? [] : [`about ${durationWords(sum)}${wait}`];
}

/** From when the facts are; nodes with the same story share it. */
function factLines({ nodes, observed, live }: PlanDocument, detail: Detail): readonly string[] {
  const record =
    observed.commit === null ? "nothing is recorded yet" : `record ${markdownCode(observed.commit.slice(0, 7))}`;
  const stories = [...groupBy(nodes, storyOf)].sort(([, a], [, b]) => b.length - a.length);
  const told = stories.slice(0, 8).map(([story, those]) => {
    const names = those.map(({ node }) => node);
    return `${those.length > 3 ? `${those.length} nodes` : namesCode(names, detail)} ${sentence(story, detail)}`;
  });
  const more = stories.length - told.length;
  const rest = more > 0 ? [`and ${more} further stories in the full plan`] : [];
  return [
    "",
    `Facts: ${[...(live ? ["read just now where nodes answered"] : []), record, ...told, ...rest].join(" · ")}`,
  ];
}

function storyOf({ basis, observed_at, silent, down }: PlannedNode): string {
  const read =
    basis === "live"
      ? "live"
      : observed_at === null
        ? "never observed"
        : `from the audit of ${shownMoment(observed_at)}`;
  const since = down === null ? [] : [`down since ${shownMoment(down.since)}: ${down.reason}`];
  return [read, ...(silent ? ["silent since"] : []), ...since].join(", ");
}

function lookLines(look: LastLook, detail: Detail): readonly string[] {
  switch (look.kind) {
    case "first":
      return [];
    case "same":
      return ["", `Since the last look, at ${short(look.head)}, nothing of this has moved.`];
    case "gone":
      return [
        "",
        `**Since the last look, at ${short(look.head)}:** what moved cannot be said, ${sentence(look.why, detail)}. Read this plan as a new one.`,
      ];
    case "moved": {
      const { head, base, observed, moved } = look;
      const why = [
        ...(head.from === head.to ? [] : [`change ${short(head.from)} → ${short(head.to)}`]),
        ...(base.from === base.to ? [] : [`base ${short(base.from)} → ${short(base.to)}`]),
        ...(observed.from === observed.to ? [] : [`record ${short(observed.from)} → ${short(observed.to)}`]),
      ].join(", ");
      const lines = bounded(
        movedTogether(moved),
        { lines: Math.min(40, detail.lines) },
        (one) => movedLine(one, detail),
        countOf("move"),
      );
      return ["", `**What moved since the last look** (${why})`, ...lines];
    }
  }
}

function short(commit: string | null): string {
  return commit === null ? "nothing" : markdownCode(commit.slice(0, 7));
}

interface MovedOn extends Omit<Moved, "node"> {
  readonly nodes: readonly string[];
}

function movedTogether(moved: readonly Moved[]): readonly MovedOn[] {
  const alike = groupBy(moved, ({ code, unit, subject, text }) => JSON.stringify([code, unit, subject, text]));
  return [...alike.values()].flatMap((those) => {
    const [first] = those;
    return first === undefined ? [] : [{ ...first, nodes: those.map(({ node }) => node) }];
  });
}

const MOVES: Readonly<Record<Moved["code"], string>> = { new: "New", gone: "No longer", changed: "Other" };

function movedLine({ code, unit, subject, text, nodes }: MovedOn, detail: Detail): string {
  const count = nodes.length > 3 ? `${nodes.length} nodes, ` : "";
  return `- **${MOVES[code]}** ${markdownCode(cut(subject, detail.characters))} on ${namesCode(nodes, detail)} (${count}${unitName(unit)}): ${sentence(text, detail)}`;
}

function footer({ counts, units }: PlanDocument, { notes, run, mark }: PlanFrame, { left }: Detail): readonly string[] {
  const where = run === null ? "the plan's document" : `[the artifact \`rollcall-plan\`](${run})`;
  const cutShort = left === "" ? [] : ["", "> [!NOTE]", `> Shortened to fit: ${left}. The full plan is in ${where}.`];
  const first = units.find(({ waves }) => waves.length > 0)?.waves[0]?.nodes[0];
  const trial =
    first === undefined ? "" : ` To try failures first: ${htmlCode(`rollcall plan --simulate "${first} fails"`)}.`;
  const merge = counts.units === 0 ? "Nothing is done to any node." : `Nothing runs before the merge.${trial}`;
  const from =
    mark === null
      ? []
      : [
          `Planned from ${htmlCode(mark.head.slice(0, 7))} on ${mark.base === null ? "no base" : htmlCode(mark.base.slice(0, 7))}.`,
        ];
  return [...cutShort, "", `<sub>${[merge, ...from, ...notes.map(htmlText)].join(" ")}</sub>`];
}
