import type { PlanDocument, PlannedItem, PlannedNode, PlannedUnit } from "../model/plan-document.ts";
import { markdownCode, markdownText } from "./markdown-text.ts";
import { shownMoment } from "./moment.ts";
import { nodeNames } from "./node-names.ts";
import type { Detail } from "./plan-comment-frame.ts";
import { visible } from "./visible.ts";

/** Somebody else's sentence, no longer than the stage allows. */
export function sentence(text: string, { characters }: Pick<Detail, "characters">): string {
  return markdownText(cut(text, characters));
}

/** Code points are never halved. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const kept = text.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, "");
  return `${kept}…`;
}

/** Node names as code, the many as ends of runs. */
export function namesCode(names: readonly string[], { characters }: Pick<Detail, "characters">): string {
  return markdownCode(cut(nodeNames(names), Math.max(120, characters)));
}

/** As a cell of a table: GitHub splits rows before it reads code, and a backslash in code is no escape. */
export function codeCell(text: string): string {
  return text.includes("|") ? markdownText(text) : markdownCode(text);
}

/** Text inside of HTML, where Markdown is not read: no tag, entity, mention or reference. */
export function htmlText(text: string): string {
  return visible(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/@(?=[A-Za-z0-9])/g, "@\u200b")
    .replace(/#(?=[0-9])/g, "#\u200b")
    .replace(/\bGH-(?=[0-9])/gi, (word) => `${word}\u200b`)
    .replace(/\b(https?|ftp):\/\//gi, "$1:\u200b//")
    .replace(/\bwww\./gi, "www\u200b.");
}

export function htmlCode(text: string): string {
  return `<code>${htmlText(text)}</code>`;
}

/** ``role `edge` 7 → 8``. */
export function unitTitle({ unit, version }: Pick<PlannedUnit, "unit" | "version">): string {
  return [unitName(unit), versionWords(version)].filter((part) => part !== "").join(" ");
}

/** ``role `edge` `` for `role:edge`. */
export function unitName(unit: string): string {
  const [, kind = "", name = unit] = /^(role|parcel|agent):(.*)$/s.exec(unit) ?? [];
  return [kind, markdownCode(name)].filter((part) => part !== "").join(" ");
}

function versionWords(version: PlannedUnit["version"]): string {
  if (version === null) return "";
  if (version.from === null) return `${version.to}, new`;
  return version.from === version.to ? `${version.to}` : `${version.from} → ${version.to}`;
}

/** Something is taken away, stopped, or taken back to an older version. */
export function isDestructive({ kind, verb, params }: PlannedItem): boolean {
  return (
    kind === "remove" || verb === "stop" || verb === "disable" || (verb === "upgrade" && params.downgrade === true)
  );
}

export type NodesByName = ReadonlyMap<string, PlannedNode>;

export function nodesByName({ nodes }: Pick<PlanDocument, "nodes">): NodesByName {
  return new Map(nodes.map((node) => [node.node, node]));
}

/** Whence what is said of a node is known: `audit of 2026-11-29 06:00 UTC`. */
export function knownFrom(names: readonly string[], nodes: NodesByName): string {
  const facts = names.flatMap((name) => nodes.get(name) ?? []);
  const moments = [
    ...new Set(facts.flatMap(({ observed_at }) => (observed_at === null ? [] : [shownMoment(observed_at)]))),
  ].sort();
  const never = facts.filter(({ basis }) => basis === "never").length;
  const live = facts.filter(({ basis }) => basis === "live").length;
  const audit =
    moments.length === 0
      ? []
      : moments.length === 1
        ? [`audit of ${moments[0]}`]
        : [`audits of ${moments[0]} to ${moments.at(-1)}`];
  return [
    ...(live > 0 ? [live === facts.length ? "live" : `live on ${live}`] : []),
    ...audit,
    ...(never > 0 ? [never === facts.length ? "never observed" : `${never} never observed`] : []),
  ].join(", ");
}
