import { groupBy } from "../kit/group-by.ts";
import type {
  PlanDecision,
  PlanDocument,
  PlanFinding,
  PlannedGroup,
  PlannedItem,
  PlannedNode,
  PlannedUnit,
} from "../model/plan-document.ts";
import { length } from "./columns.ts";
import { contentLines } from "./content-diff.ts";
import { broken, clipped, fittedColumns, PAGE } from "./fitting.ts";
import type { Paint } from "./paint.ts";
import {
  countsWords,
  durationWords,
  generationWords,
  momentWords,
  namesWords,
  nextWords,
  plural,
  reasonsWords,
  unitWords,
  unreadRemovals,
  verbWords,
} from "./plan-words.ts";
import { visible } from "./visible.ts";

export interface PlanView {
  /** Also how the content of files would change. */
  readonly diff: boolean;
}

/** `plan` for people: what blocks, what is to be decided, then unit by unit (DESIGN §6). Reads the document and nothing else. */
export function renderPlan(document: PlanDocument, paint: Paint, view: PlanView = { diff: false }): string {
  const { blocks, warnings, decisions, units } = document;
  return [
    ...headline(document, paint),
    ...section("Blocks", findingLines(blocks, paint.red, paint), paint),
    ...section("Warnings", findingLines(warnings, paint.yellow, paint), paint),
    ...section("To decide", decisionLines(decisions, paint), paint),
    ...units.flatMap((unit) => ["", ...unitLines(unit, view, paint)]),
    "",
    ...ending(document, view, paint),
    "",
  ].join("\n");
}

function headline(document: PlanDocument, paint: Paint): string[] {
  const { counts, units, worst_risk } = document;
  const scope = `${plural(counts.units, "unit")} on ${counts.nodes} of ${plural(counts.of_nodes, "node")}`;
  const parts = [generationWords(document), scope, countsWords(counts, unreadRemovals(units))];
  const risk = worst_risk === "none" ? [] : [`worst risk ${worst_risk}`];
  const facts = factsLine(document).flatMap((line) => broken(visible(line), PAGE));
  return [...broken([...parts, ...risk].join(" · "), PAGE).map(paint.bold), ...facts.map(paint.dim)];
}

/** From when the facts are; nodes with the same story share it. */
function factsLine({ nodes, observed, live }: PlanDocument): string[] {
  if (nodes.length === 0) return [];
  const stories = groupBy(nodes, storyOf);
  const told = [...stories].map(([story, those]) =>
    those.length === 1 ? `${those[0]?.node} ${story}` : `${those.length} nodes ${story}`,
  );
  const record = observed.commit === null ? ["nothing is recorded"] : [`record ${observed.commit.slice(0, 7)}`];
  return [["facts", ...(live ? ["read just now where they answered"] : record), ...told].join(" · ")];
}

function storyOf({ basis, observed_at, silent, down }: PlannedNode): string {
  const read = basis === "live" ? "read now" : observed_at === null ? "never read" : `read ${momentWords(observed_at)}`;
  return [read, ...(silent ? ["silent since"] : []), ...(down === null ? [] : [`down: ${down.reason}`])].join(", ");
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ["", paint.bold(title), ...lines];
}

function findingLines(findings: readonly PlanFinding[], colour: (text: string) => string, paint: Paint): string[] {
  return findings.flatMap(({ code, file, line, message, hint }) => {
    const place = file === null ? "" : `${visible(file)}${line === null ? "" : `:${line}`} `;
    const told = broken(`${place}${code}: ${visible(message)}`, PAGE - 4);
    return [
      ...told.map((text, index) => (index === 0 ? `  ${text.replace(`${code}:`, `${colour(code)}:`)}` : `    ${text}`)),
      paint.dim(`    ${visible(hint)}`),
    ];
  });
}

/** What is so of several units is told once. */
function decisionLines(decisions: readonly PlanDecision[], paint: Paint): string[] {
  const facts = [...groupBy(decisions, (decision) => `${decision.code} ${factOf(decision)}`).values()];
  const rows = facts.map((those) => {
    const [first] = those as [PlanDecision, ...PlanDecision[]];
    const units = [...new Set(those.flatMap(({ unit }) => unit ?? []))];
    const nodes = [...new Set(those.flatMap((decision) => decision.nodes))].sort();
    const text = those.length === 1 ? first.text : factOf(first);
    const told = [
      text,
      ...(units.length > 1 ? [namesWords(units)] : []),
      ...(nodes.length > 0 ? [namesWords(nodes)] : []),
    ];
    return [first.code, units.length > 1 ? plural(units.length, "unit") : (units[0] ?? ""), visible(told.join(" · "))];
  });
  return fittedColumns(rows, "  ").flatMap((lines, index) => painted(lines, rows[index]?.[0] ?? "", paint.yellow));
}

/** Without the one node that it is about. */
function factOf({ text, nodes }: PlanDecision): string {
  return nodes.length === 1 ? text.replace(` ${nodes[0]}`, "") : text;
}

/** The first cell of a fitted row in its colour: what that costs in characters must move no column. */
function painted(lines: readonly string[], cell: string, colour: (text: string) => string): string[] {
  return lines.map((line, index) => (index === 0 ? line.replace(cell, () => colour(cell)) : line));
}

function unitLines(unit: PlannedUnit, view: PlanView, paint: Paint): string[] {
  const facts = unitFacts(unit).map(([name, text]) => [name, visible(text)]);
  return [
    `${paint.bold(unitWords(unit))} · ${unit.risk} · ${unit.strategy} · ${visible(nextWords(unit))}`,
    ...(unit.title === "" ? [] : [paint.dim(`  ${clipped(visible(unit.title), PAGE - 2)}`)]),
    ...fittedColumns(facts, "  ").flat(),
    ...[...groupBy(unit.groups, ({ same }) => same).values()].flatMap(([first, ...more]) =>
      first === undefined ? [] : groupLines([first, ...more], view, paint),
    ),
  ];
}

type Fact = readonly [name: string, text: string];

function unitFacts(unit: PlannedUnit): Fact[] {
  const { waves, left_out, pending, supersedes, next } = unit;
  return [
    ...(waves.length > 0 ? waveFacts(unit) : []),
    ...left_out.map(({ node, reason, detail }): Fact => ["left out", `${node}: ${reason}${inBrackets(detail)}`]),
    ...pending.map(({ node, reason, detail }): Fact => ["stays pending", `${node}: ${reason}${inBrackets(detail)}`]),
    ...(supersedes.length > 0
      ? [["ends", supersedes.map(({ id, state }) => `${id} (${state})`).join(", ")] satisfies Fact]
      : []),
    ...(next.hint === "" ? [] : [["next", next.hint] satisfies Fact]),
  ];
}

function waveFacts(unit: PlannedUnit): Fact[] {
  const { waves, reasons, after, duration, rollback } = unit;
  const facts: readonly Fact[] = [
    ["waves", waves.map((wave) => namesWords(wave.nodes)).join(" → ")],
    ["first", reasons?.canary ?? ""],
    ["second look", reasons?.second_look.why ?? ""],
    ["after", after.join(", ")],
    ["before the first gate", radiusWords(unit)],
    ...waves.map(({ restarts }, index): Fact => {
      const told = restarts.map(({ unit: name, how, nodes }) => `${name} ${how} on ${namesWords(nodes)}`);
      return [`wave ${index + 1}`, told.join(", ")];
    }),
    ["rollback", `${rollback.how} (${rollback.tier})`],
    ["expected", durationLine(duration)],
  ];
  return facts.filter(([, text]) => text !== "");
}

function inBrackets(detail: string): string {
  return detail === "" ? "" : ` (${detail})`;
}

function radiusWords({ blast_radius }: PlannedUnit): string {
  const { nodes, restarts, last_healthy } = blast_radius;
  const what = restarts.length === 0 ? "nothing restarts" : `${restarts.join(", ")} may be away`;
  const last = last_healthy.map(({ class: name, wave }) => `no healthy ${name} is left in wave ${wave + 1}`);
  return [
    plural(nodes.length, "node"),
    what,
    ...(last.length === 0 ? ["no class loses its last healthy node"] : last),
  ].join("; ");
}

function durationLine({ expected_ms, worst_wait_ms }: PlannedUnit["duration"]): string {
  const expected = expected_ms === null ? "not known, it never ran before" : `about ${durationWords(expected_ms)}`;
  return worst_wait_ms === null ? expected : `${expected}, then up to ${durationWords(worst_wait_ms)} for the next run`;
}

/** Groups of other classes that do the very same are told together; what is known of most items is said once. */
function groupLines(groups: readonly [PlannedGroup, ...PlannedGroup[]], view: PlanView, paint: Paint): string[] {
  const [{ items }] = groups;
  const count = groups.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const same = count === 1 ? plural(items.length, "item") : `the same ${plural(items.length, "item")} on all ${count}`;
  const shared = sharedGround(items);
  const rows = items.map((item) => {
    const ground = groundWords(item);
    const why = [reasonsWords(item), ...(ground === shared ? [] : [ground])].filter((part) => part !== "");
    return [item.kind, verbWords(item), visible(item.resource), visible(why.join(" · "))];
  });
  const heads = groups.map(({ class: name, nodes }) => visible(`${name} · ${namesWords(nodes)}`)).join("; ");
  const told = [same, ...(shared === null ? [] : [visible(shared)])].join(" · ");
  const oneLine = `${heads}  ${told}`;
  const head = length(oneLine) + 2 <= PAGE ? [oneLine] : [...broken(heads, PAGE - 2), ...broken(told, PAGE - 2)];
  const fitted = fittedColumns(rows, "    ");
  return [
    ...head.map((line) => `  ${line}`),
    ...items.flatMap((item, index) => [
      ...painted(fitted[index] ?? [], item.kind, kindPaint(item, paint)),
      ...(view.diff ? contentOf(item, paint) : []),
    ]),
  ];
}

/** What more than half of the items rest on. */
function sharedGround(items: readonly PlannedItem[]): string | null {
  const grounds = [...groupBy(items.map(groundWords), (ground) => ground).values()];
  return grounds.find((those) => those.length * 2 > items.length)?.[0] ?? null;
}

function groundWords({ basis, why }: PlannedItem): string {
  return `${basis}: ${why}`;
}

function contentOf({ content }: PlannedItem, paint: Paint): string[] {
  if (content === null) return [];
  const lines =
    content.status === "changed"
      ? [`${paint.dim("│")} ${paint.dim(visible(content.message))}`]
      : contentLines(content, paint);
  return lines.map((line) => `      ${line}`);
}

function kindPaint({ kind }: PlannedItem, paint: Paint): (text: string) => string {
  if (kind === "create") return paint.green;
  return kind === "remove" || kind === "obstacle" ? paint.red : paint.yellow;
}

function ending({ blocks, counts, units }: PlanDocument, { diff }: PlanView, paint: Paint): string[] {
  if (blocks.length > 0)
    return [paint.red(`blocked by ${plural(blocks.length, "finding")}: nothing of this would be done`)];
  if (counts.units === 0) return ["nothing would be done"];
  const hidden = !diff && units.some(({ groups }) => groups.some(({ items }) => items.some(({ content }) => content)));
  return [
    `${countsWords(counts, unreadRemovals(units))} · nothing runs before the merge`,
    ...(hidden ? [paint.dim("how files would change: rollcall plan --diff")] : []),
  ];
}
