import { groupBy } from "../kit/group-by.ts";
import type { PlannedContent, PlannedGroup, PlannedItem } from "../model/plan-document.ts";
import { contentSentence } from "./content-diff.ts";
import { markdownCode } from "./markdown-text.ts";
import { nodeNames } from "./node-names.ts";
import type { Detail } from "./plan-comment-frame.ts";
import { codeCell, cut, htmlCode, htmlText, knownFrom, type NodesByName, sentence } from "./plan-comment-words.ts";
import { plural, verbWords } from "./plan-words.ts";
import { visible } from "./visible.ts";

/** Folded, class by class; classes on which the very same is done share a fold. */
export function groupBlocks(groups: readonly PlannedGroup[], nodes: NodesByName, detail: Detail): readonly string[] {
  if (detail.items === "none") return [];
  const alike = [...groupBy(groups, (group) => (detail.merged ? looksOf(group) : group.same)).values()];
  if (detail.items === "counts") {
    return alike.flatMap((those) => [
      "",
      `- ${headOf(mergedGroups(those), markdownCode, detail)}: ${kindCounts(those[0]?.items ?? [])}`,
    ]);
  }
  const told = new Set<string>();
  return alike.flatMap((those) => groupBlock(those, nodes, { ...detail, told }));
}

/** All that a fold says of a group, but for what files hold. */
function looksOf({ items }: PlannedGroup): string {
  const looks = items.map(({ role, resource, kind, verb, params, severity, reasons, basis, why, content }) => {
    const { sha256: _digest, size: _size, ...rest } = params;
    return [role, resource, kind, verb, rest, severity, reasons, basis, why, content?.status ?? null];
  });
  return JSON.stringify(looks);
}

/** `told`: diffs that stand above already. */
type Telling = Detail & { readonly told: Set<string> };

function groupBlock(those: readonly PlannedGroup[], nodes: NodesByName, detail: Telling): readonly string[] {
  const items = those[0]?.items ?? [];
  const names = those.flatMap((group) => group.nodes);
  const variants = new Set(those.map(({ same }) => same)).size;
  const bases = new Set(items.map(({ basis }) => basis));
  const known = (item: PlannedItem) => basisWords(item, names, nodes);
  const shared = bases.size === 1 && items[0] !== undefined ? known(items[0]) : undefined;
  const same =
    names.length === 1
      ? plural(items.length, "item")
      : `the same ${plural(items.length, "item")} on ${names.length === 2 ? "both" : `all ${names.length}`}`;
  const differing =
    variants === 1
      ? []
      : [
          `What files hold differs from node to node: ${variants} variants, of which that of ${markdownCode(those[0]?.nodes[0] ?? "")} is shown.`,
        ];
  return [
    "",
    `<details><summary>${headOf(mergedGroups(those), htmlCode, detail)} · ${same}</summary>`,
    "",
    ...[...(shared === undefined ? [] : [`Known: ${sentence(shared, detail)}.`]), ...differing].flatMap((line) => [
      line,
      "",
    ]),
    "| | item | verb | why |",
    "|---|---|---|---|",
    ...items.map((item) => itemRow(item, shared === undefined ? known(item) : "", detail)),
    ...items.flatMap((item) => contentBlock(item, detail)),
    "",
    "</details>",
  ];
}

/** A class stands once, however many of its groups share the fold. */
function mergedGroups(those: readonly PlannedGroup[]): readonly PlannedGroup[] {
  return [...groupBy(those, (group) => group.class).values()].flatMap((groups) => {
    const [first] = groups;
    return first === undefined ? [] : [{ ...first, nodes: groups.flatMap(({ nodes }) => nodes).sort() }];
  });
}

function headOf(those: readonly PlannedGroup[], code: (text: string) => string, { characters }: Detail): string {
  return those
    .map(
      (group) =>
        `${code(cut(group.class, characters))} ${code(cut(nodeNames(group.nodes), Math.max(120, characters)))}`,
    )
    .join(" · ");
}

/** Whence it is known that this is to be done (DESIGN §6: live, from the audit of, never observed). */
function basisWords({ basis }: PlannedItem, names: readonly string[], nodes: NodesByName): string {
  const from = knownFrom(names, nodes);
  switch (basis) {
    case "live":
      return "live";
    case "audit":
      return from;
    case "desired":
      return `as declared, on what the nodes have proved${from === "" ? "" : `, ${from}`}`;
    case "unknown":
      return from === "never observed" ? from : `nobody knows what is there${from === "" ? "" : `, ${from}`}`;
  }
}

const MARKS: Readonly<Record<PlannedItem["kind"], string>> = {
  create: "create",
  change: "change",
  remove: "**remove**",
  restart: "restart",
  keep: "keep",
  obstacle: "**cannot**",
};

function itemRow(item: PlannedItem, known: string, detail: Detail): string {
  const why = [[item.reasons.join(", "), item.why].filter((part) => part !== "").join(": "), known]
    .filter((part) => part !== "")
    .join(" · ");
  const what = codeCell(cut(item.resource, detail.characters));
  return `| ${MARKS[item.kind]} | ${what} | ${verbCell(item, detail)} | ${sentence(why, detail)} |`;
}

/** `write 0644 root:root`, `upgrade 2.6 → 2.7`, `start, enable`. */
function verbCell(item: PlannedItem, detail: Detail): string {
  const { params } = item;
  const text = (key: string) => (typeof params[key] === "string" ? (params[key] as string) : "");
  const owner = [text("owner"), text("group")].filter((part) => part !== "").join(":");
  const versions = [text("from"), text("version")].filter((part) => part !== "").join(" → ");
  const change = [text("mode"), owner, versions].filter((part) => part !== "").join(" ");
  const also = params.enable === true ? ", enable" : params.enable === false ? ", disable" : "";
  const back = params.downgrade === true ? " **(downgrade)**" : "";
  return `${verbWords(item)}${also}${change === "" ? "" : ` ${codeCell(cut(change, detail.characters))}`}${back}`;
}

function contentBlock({ content, resource }: PlannedItem, detail: Telling): readonly string[] {
  if (content === null) return [];
  if (content.status !== "text") {
    return ["", `${markdownCode(cut(resource, detail.characters))}: ${sentence(contentWords(content), detail)}`];
  }
  if (detail.diffLines === 0) return [];
  if (detail.told.has(content.diff))
    return ["", `${markdownCode(cut(resource, detail.characters))}: the same diff as above.`];
  detail.told.add(content.diff);
  const lines = content.diff.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, detail.diffLines).map((line) => cut(line.split("\t").map(visible).join("\t"), 2000));
  const more = lines.length - shown.length;
  const longest = Math.max(2, ...shown.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)));
  const fence = "`".repeat(longest + 1);
  const rest = more === 0 ? [] : [`${plural(more, "more line")} of it in the full plan.`];
  return ["", `${fence}diff`, ...shown, fence, ...rest];
}

function contentWords(content: Exclude<PlannedContent, { status: "text" }>): string {
  return content.status === "changed" ? content.message : contentSentence(content);
}

function kindCounts(items: readonly PlannedItem[]): string {
  const kinds = groupBy(items, ({ kind, type }) => `${kind} ${type}`);
  return [...kinds].map(([words, those]) => `${those.length} × ${htmlText(words)}`).join(", ");
}
