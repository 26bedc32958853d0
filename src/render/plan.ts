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
import { columns } from "./columns.ts";
import { contentLines } from "./content-diff.ts";
import type { Paint } from "./paint.ts";
import {
  countsWords,
  durationWords,
  generationWords,
  momentWords,
  namesWords,
  nextWords,
  plural,
  unitWords,
  verbWords,
} from "./plan-words.ts";
import { visible } from "./visible.ts";

/** `plan` for people: what blocks, what is to be decided, then unit by unit (DESIGN §6). Reads the document and nothing else. */
export function renderPlan(document: PlanDocument, paint: Paint): string {
  const { blocks, warnings, decisions, units } = document;
  return [
    ...headline(document, paint),
    ...section("Blocks", findingLines(blocks, paint.red, paint), paint),
    ...section("Warnings", findingLines(warnings, paint.yellow, paint), paint),
    ...section("To decide", decisionLines(decisions, paint), paint),
    ...units.flatMap((unit) => ["", ...unitLines(unit, paint)]),
    "",
    ending(document, paint),
    "",
  ].join("\n");
}

function headline(document: PlanDocument, paint: Paint): string[] {
  const { counts, worst_risk } = document;
  const scope = `${plural(counts.units, "unit")} on ${counts.nodes} of ${plural(counts.of_nodes, "node")}`;
  const parts = [generationWords(document), scope, countsWords(counts)];
  const risk = worst_risk === "none" ? [] : [`worst risk ${worst_risk}`];
  return [paint.bold([...parts, ...risk].join(" · ")), ...factsLine(document).map((line) => paint.dim(visible(line)))];
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
    return [`  ${place}${colour(code)}: ${visible(message)}`, paint.dim(`    ${visible(hint)}`)];
  });
}

function decisionLines(decisions: readonly PlanDecision[], paint: Paint): string[] {
  const rows = decisions.map(({ code, unit, nodes, text }) => [
    paint.yellow(code),
    unit ?? "",
    visible(nodes.length === 0 ? text : `${text} · ${namesWords(nodes)}`),
  ]);
  return columns(rows, "  ");
}

function unitLines(unit: PlannedUnit, paint: Paint): string[] {
  const { waves, reasons, pending, left_out, after, duration, rollback, supersedes } = unit;
  const facts: string[][] = [];
  if (waves.length > 0) {
    facts.push(["waves", waves.map((wave) => namesWords(wave.nodes)).join(" → ")]);
    if (reasons !== null && reasons.canary !== "") facts.push(["first", reasons.canary]);
    if (reasons !== null && reasons.second_look.why !== "") facts.push(["second look", reasons.second_look.why]);
    if (after.length > 0) facts.push(["after", after.join(", ")]);
    facts.push(["before the first gate", radiusWords(unit)]);
    for (const [index, wave] of waves.entries()) {
      const restarts = wave.restarts.map(({ unit: name, how, nodes }) => `${name} ${how} on ${namesWords(nodes)}`);
      if (restarts.length > 0) facts.push([`wave ${index}`, restarts.join(", ")]);
    }
    facts.push(["rollback", `${rollback.how} (${rollback.tier})`]);
    facts.push(["expected", durationLine(duration)]);
  }
  for (const { node, reason, detail } of left_out) facts.push(["left out", `${node}: ${reason}${inBrackets(detail)}`]);
  for (const { node, reason, detail } of pending)
    facts.push(["stays pending", `${node}: ${reason}${inBrackets(detail)}`]);
  if (supersedes.length > 0) facts.push(["ends", supersedes.map(({ id, state }) => `${id} (${state})`).join(", ")]);
  if (unit.next.hint !== "") facts.push(["next", unit.next.hint]);
  return [
    `${paint.bold(unitWords(unit))} · ${unit.risk} · ${unit.strategy} · ${visible(nextWords(unit))}`,
    ...(unit.title === "" ? [] : [paint.dim(`  ${visible(unit.title)}`)]),
    ...columns(
      facts.map(([name = "", text = ""]) => [name, visible(text)]),
      "  ",
    ),
    ...[...groupBy(unit.groups, ({ same }) => same).values()].flatMap(([first, ...more]) =>
      first === undefined ? [] : groupLines([first, ...more], paint),
    ),
  ];
}

function inBrackets(detail: string): string {
  return detail === "" ? "" : ` (${detail})`;
}

function radiusWords({ blast_radius }: PlannedUnit): string {
  const { nodes, restarts, last_healthy } = blast_radius;
  const what = restarts.length === 0 ? "nothing restarts" : `${restarts.join(", ")} may be away`;
  const last = last_healthy.map(({ class: name, wave }) => `no healthy ${name} is left in wave ${wave}`);
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

/** Groups of other classes that do the very same are told together. */
function groupLines(groups: readonly [PlannedGroup, ...PlannedGroup[]], paint: Paint): string[] {
  const [{ items }] = groups;
  const count = groups.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const same = count === 1 ? plural(items.length, "item") : `the same ${plural(items.length, "item")} on all ${count}`;
  const grounds = new Set(items.map(groundWords));
  const shared = grounds.size === 1 ? [...grounds] : [];
  const rows = columns(
    items.map((item) => [
      kindPaint(item, paint)(item.kind),
      verbWords(item),
      visible(item.resource),
      visible([item.reasons.join(", "), ...(shared.length === 0 ? [groundWords(item)] : [])].join(" · ")),
    ]),
    "    ",
  );
  const heads = groups.map(({ class: name, nodes }) => `${visible(name)} · ${paint.bold(namesWords(nodes))}`);
  return [
    `  ${heads.join("; ")}  ${[same, ...shared.map(visible)].join(" · ")}`,
    ...items.flatMap((item, index) => [rows[index] ?? "", ...contentOf(item, paint)]),
  ];
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

function ending({ blocks, counts }: PlanDocument, paint: Paint): string {
  if (blocks.length > 0)
    return paint.red(`blocked by ${plural(blocks.length, "finding")}: nothing of this would be done`);
  if (counts.units === 0) return "nothing would be done";
  return `${countsWords(counts)} · nothing runs before the merge`;
}
