import type { PlanDocument, PlannedUnit } from "../model/plan-document.ts";
import { markdownCode } from "./markdown-text.ts";
import { bounded, countOf } from "./plan-comment-decisions.ts";
import type { Detail } from "./plan-comment-frame.ts";
import { groupBlocks } from "./plan-comment-items.ts";
import { codeCell, cut, type NodesByName, namesCode, sentence, unitName, unitTitle } from "./plan-comment-words.ts";
import { countsWords, durationWords, nextWords, plural } from "./plan-words.ts";

/** At a glance: a row a unit. One unit alone says it in its own section. */
export function unitTable({ units }: PlanDocument, detail: Detail): readonly string[] {
  if (units.length < 2 && detail.sections > 0) return [];
  const shown = units.slice(0, detail.rows);
  const more = units.length - shown.length;
  if (units.length === 0) return [];
  const rest = more === 0 ? [] : ["", `… and **${plural(more, "more unit")}**; the full plan has them all.`];
  if (shown.length === 0) return rest;
  return [
    "",
    "| unit | nodes | create | change | remove | restart | first node | stays pending | rollback |",
    "|---|--:|--:|--:|--:|--:|---|--:|---|",
    ...shown.map((unit) => row(unit, detail)),
    ...rest,
  ];
}

function row(unit: PlannedUnit, detail: Detail): string {
  const { counts, waves, pending, after, rollback, next } = unit;
  const nodes = waves.reduce((sum, wave) => sum + wave.nodes.length, 0);
  const first = waves[0]?.nodes ?? [];
  const name = /^(role|parcel|agent):/.test(unit.unit) ? unitTitle(unit).replaceAll("|", "\\|") : codeCell(unit.unit);
  const when =
    after.length === 0 ? "" : `, after ${after.slice(0, 2).map(unitName).join(", ")}${after.length > 2 ? " …" : ""}`;
  const begin =
    first.length === 0
      ? sentence(nextWords({ next }), { characters: Math.min(detail.characters, 160) })
      : `${namesCode(first, detail)}${when}`;
  const remove = counts.remove > 0 ? `**${counts.remove}**` : "0";
  const cells = [
    name,
    nodes,
    counts.create,
    counts.change,
    remove,
    counts.restart,
    begin,
    pending.length,
    rollback.tier,
  ];
  return `| ${cells.join(" | ")} |`;
}

export function unitSections(units: readonly PlannedUnit[], nodes: NodesByName, detail: Detail): readonly string[] {
  const shown = units.slice(0, detail.sections);
  return shown.flatMap((unit) => [...unitSection(unit, detail), ...groupBlocks(unit.groups, nodes, detail)]);
}

function unitSection(unit: PlannedUnit, detail: Detail): readonly string[] {
  const facts: [string, string][] = unit.waves.length === 0 ? [] : waveFacts(unit, detail);
  if (unit.waves.length === 0) facts.push(["Next", sentence(nextWords(unit), detail)]);
  for (const { node, reason, detail: why } of unit.left_out.slice(0, 20))
    facts.push(["Left out", `${markdownCode(node)}: ${sentence(reasonWords(reason, why), detail)}`]);
  if (unit.left_out.length > 20) facts.push(["Left out", `and ${unit.left_out.length - 20} more`]);
  for (const line of pendingLines(unit, detail)) facts.push(["Stays pending", line]);
  if (unit.supersedes.length > 0)
    facts.push([
      "Ends",
      unit.supersedes
        .slice(0, 10)
        .map(({ id, state }) => `${markdownCode(id)} (${sentence(state, detail)})`)
        .join(", "),
    ]);
  if (unit.next.hint !== "") facts.push(["Go on", markdownCode(cut(unit.next.hint, detail.characters))]);
  const standing = unit.waves.length === 0 ? [] : [sentence(nextWords(unit), detail)];
  const kind = [`**${countsWords(unit.counts)}**`, `risk ${unit.risk}`, `strategy ${unit.strategy}`, ...standing].join(
    " · ",
  );
  return [
    "",
    `#### ${unitTitle(unit)}`,
    `${kind}${unit.title === "" ? "" : ` · ${sentence(unit.title, detail)}`}`,
    "",
    ...facts.map(([label, text]) => `- **${label}** ${text}`),
    ...conflictLines(unit, detail),
  ];
}

function waveFacts(unit: PlannedUnit, detail: Detail): [string, string][] {
  const { waves, reasons, after, rollback } = unit;
  const facts: [string, string][] = [["Waves", wavesLine(unit, detail)]];
  if (reasons !== null && reasons.canary !== "") facts.push(["Canary", `${sentence(reasons.canary, detail)}.`]);
  if (reasons !== null && reasons.second_look.why !== "" && waves.length > 1)
    facts.push(["Second look", `${sentence(reasons.second_look.why, detail)}.`]);
  if (after.length > 0) facts.push(["After", after.slice(0, 12).map(unitName).join(", ")]);
  const restarts = restartsLine(unit, detail);
  if (restarts !== "") facts.push(["Restarts", restarts]);
  facts.push(["Before the first gate", radiusLine(unit, detail)]);
  facts.push(["Rollback", `${markdownCode(cut(rollback.how, detail.characters))} (${rollback.tier})`]);
  facts.push(["Expected", durationLine(unit.duration)]);
  return facts;
}

/** `web-01` (canary) → `desk-01` (second look) → `web-02 … web-09` (8 nodes). */
function wavesLine({ waves, reasons, strategy }: PlannedUnit, detail: Detail): string {
  const isStaged = strategy === "waves" && reasons !== null;
  const shown = waves.slice(0, 12).map(({ nodes }, index) => {
    const role =
      !isStaged || waves.length < 2
        ? ""
        : index === 0
          ? "canary"
          : index === 1 && !reasons.second_look.missing
            ? "second look"
            : "";
    const notes = [role, ...(nodes.length > 3 ? [`${nodes.length} nodes`] : [])].filter((part) => part !== "");
    return `${namesCode(nodes, detail)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
  });
  const more = waves.length - shown.length;
  return [...shown, ...(more > 0 ? [plural(more, "more wave")] : [])].join(" → ");
}

/** What restarts, wave by wave; what is the same in all waves is said once. */
function restartsLine({ waves }: PlannedUnit, detail: Detail): string {
  const told = waves.map(({ restarts, nodes }) =>
    restarts
      .slice(0, 12)
      .map(({ unit, how, nodes: on }) => {
        const where = on.length === nodes.length ? "" : ` on ${namesCode(on, detail)}`;
        return `${how === "reload" ? "reload of " : ""}${markdownCode(cut(unit, detail.characters))}${where}`;
      })
      .join(", "),
  );
  if (told.every((text) => text === "")) return "";
  if (new Set(told).size === 1) return `${told[0]}${waves.length === 1 ? "" : " in each wave, on all of its nodes"}`;
  return told
    .flatMap((text, index) => (text === "" ? [] : [`wave ${index + 1}: ${text}`]))
    .slice(0, 12)
    .join(" → ");
}

function radiusLine({ blast_radius, waves }: PlannedUnit, detail: Detail): string {
  const { nodes, last_healthy } = blast_radius;
  const restarts = waves[0]?.restarts ?? [];
  const units = restarts
    .slice(0, 12)
    .map(({ unit, how }) => `${markdownCode(cut(unit, detail.characters))} ${how}s there`);
  const what = units.length === 0 ? "nothing restarts there" : units.join(", ");
  const last = last_healthy
    .slice(0, 12)
    .map(
      ({ class: name, wave, nodes: on }) =>
        `**${markdownCode(cut(name, detail.characters))} has no other healthy node in wave ${wave + 1}** (${namesCode(on, detail)})`,
    );
  const classes = last.length === 0 ? ["No class loses its last healthy node"] : last;
  return `${plural(nodes.length, "node")}; ${what}. ${classes.join("; ")}.`;
}

function durationLine({ expected_ms, worst_wait_ms }: PlannedUnit["duration"]): string {
  const expected = expected_ms === null ? "not known, it never ran before" : `about ${durationWords(expected_ms)}`;
  const wait =
    worst_wait_ms === null
      ? ""
      : `; should a run's time end, up to ${durationWords(worst_wait_ms)} until the next one goes on`;
  return `${expected}${wait}`;
}

/** Nodes of one reason and detail together. */
function pendingLines({ pending }: PlannedUnit, detail: Detail): readonly string[] {
  const alike = new Map<string, string[]>();
  for (const { node, reason, detail: why } of pending) {
    const words = reasonWords(reason, why);
    alike.set(words, [...(alike.get(words) ?? []), node]);
  }
  const lines = [...alike].map(
    ([words, names]) =>
      `${namesCode(names, detail)}${names.length > 3 ? ` (${names.length} nodes)` : ""}: ${sentence(words, detail)}`,
  );
  return lines.length <= 20 ? lines : [...lines.slice(0, 20), `and ${lines.length - 20} more reasons`];
}

function reasonWords(reason: string, why: string): string {
  return why === "" ? reason : `${reason}, ${why}`;
}

function conflictLines({ conflicts }: PlannedUnit, detail: Detail): readonly string[] {
  return bounded(
    conflicts,
    { lines: Math.min(20, detail.lines) },
    ({ with: other, why }) => `- **Conflict** with ${sentence(other, detail)}: ${sentence(why, detail)}`,
    countOf("conflict"),
  );
}
