import type { Board, BoardUnit, PendingNode } from "../model/board.ts";
import { nodeNames } from "./node-names.ts";
import { type GroupWords, type NodeWords, sameWords } from "./same-words.ts";

/** One of the four states of a unit, or what is to be said loudly beside them: as words, for a terminal or a page. */
export interface BoardRow {
  readonly label: "applied" | "claimed" | "pending" | "not for me";
  readonly count: number;
  /** None: nobody is in that state. */
  readonly lines: readonly BoardLine[];
}

export interface BoardLine {
  /** `web-01`, or `web-01 … web-12`. */
  readonly names: string;
  /** How many these are. */
  readonly nodes: number;
  readonly what: string;
  /** The command that moves it on; may be empty. */
  readonly hint: string;
}

export interface BoardBlock {
  readonly unit: BoardUnit;
  /** `role:edge v8`. */
  readonly name: string;
  readonly targets: string;
  /** Where it stands, in a few words. */
  readonly standing: string;
  readonly rows: readonly BoardRow[];
  /** Escapes, warnings, words that were not taken: never folded. */
  readonly loud: readonly { readonly label: "ESCAPE" | "warning" | "not taken"; readonly text: string }[];
  /** The command that moves the whole unit on; may be empty. */
  readonly goOn: string;
}

/** More lines than this in one state are only counted. */
const MOST_LINES = 12;

/**
 * `lasting`: only what stays the same while nothing changes its meaning, for a page that is committed (DESIGN §4). What a node
 * said at the last attempt and when a fact was read again is news each time.
 */
export function boardBlock(unit: BoardUnit, lasting: boolean): BoardBlock {
  const rows: BoardRow[] = [
    { label: "applied", count: unit.applied.length, lines: appliedLines(unit, lasting) },
    { label: "claimed", count: unit.claimed.length, lines: folded(unit.claims.map(claimWords)) },
    { label: "pending", count: unit.pending.length, lines: folded(unit.pending.map(pendingWords(unit, lasting))) },
    { label: "not for me", count: unit.not_for_me.length, lines: folded(unit.not_for_me.map(declineWords)) },
  ];
  return {
    unit,
    name: unit.version === null ? unit.unit : `${unit.unit} v${unit.version}`,
    targets: counted(unit.targets, "target"),
    standing: standingOf(unit),
    rows,
    loud: loudOf(unit),
    goOn: unit.next.hint,
  };
}

/** `2 of 3 units are behind.` */
export function boardSummary({ units }: Board): string {
  const enforced = units.filter((unit) => unit.enforced);
  if (enforced.length === 0) return "Nothing is enforced on any node, so nothing is proved.";
  const behind = enforced.filter((unit) => unit.behind).length;
  const [some, what] = behind === 0 ? [enforced.length, "in"] : [behind, "behind"];
  return `${some} of ${counted(enforced.length, "unit")} ${some === 1 ? "is" : "are"} ${what}.`;
}

function appliedLines({ applied, grades, oldest_read }: BoardUnit, lasting: boolean): readonly BoardLine[] {
  if (applied.length === 0) return [];
  const graded = `${grades.transition} transition, ${grades["already-true"]} already-true`;
  const read = lasting || oldest_read === null ? "" : `; oldest read ${shortMoment(oldest_read)}`;
  return [{ names: nodeNames(applied), nodes: applied.length, what: `${graded}${read}`, hint: "" }];
}

function claimWords({ node, note, by, at }: BoardUnit["claims"][number]): NodeWords {
  return { node, kind: "claimed", since: null, what: `"${note}" (${by}, ${at.slice(0, 10)})`, hint: "" };
}

function declineWords({ node, reason, by }: BoardUnit["not_for_me"][number]): NodeWords {
  return { node, kind: "declined", since: null, what: `"${reason}" (${by})`, hint: "" };
}

/** What the node or the network said at the last attempt. */
const SAID_ANEW = new Set(["unreachable", "stale"]);
/** What the unit's own lines say once for all. */
const SAID_OF_ALL = new Set(["paused", "canceled"]);

/** Nothing is due of what is only observed: how it was seen says it all. */
const OBSERVED = "";

function pendingWords({ next, enforced }: BoardUnit, lasting: boolean): (pending: PendingNode) => NodeWords {
  return ({ node, reason, since, detail, hint }) => {
    if (!enforced && reason === "due") return { node, kind: OBSERVED, since, what: detail, hint };
    if (next.kind === "stopped" && SAID_OF_ALL.has(reason)) return { node, kind: reason, since, what: "", hint: "" };
    const said = lasting && SAID_ANEW.has(reason) ? "" : detail;
    const plain = said.startsWith(`${reason}: `) ? said.slice(reason.length + 2) : said;
    return { node, kind: reason, since, what: plain, hint };
  };
}

function folded(words: readonly NodeWords[]): readonly BoardLine[] {
  const groups = sameWords(words);
  const shown = groups.length > MOST_LINES ? groups.slice(0, MOST_LINES - 1) : groups;
  const rest = groups.slice(shown.length);
  return [...shown.map(lineOf), ...(rest.length === 0 ? [] : [restLine(rest)])];
}

function lineOf(group: GroupWords): BoardLine {
  const { nodes, kind, what, hint } = group;
  const who = { names: nodeNames(nodes), nodes: nodes.length };
  if (kind === OBSERVED || kind === "claimed" || kind === "declined") return { ...who, what, hint };
  return { ...who, what: [`${spoken(kind)}${sinceOf(group)}`, what].filter((part) => part !== "").join(": "), hint };
}

function sinceOf({ since, andLater, what }: GroupWords): string {
  if (since === null || what.includes(since)) return "";
  return ` since ${shortMoment(since)}${andLater ? " or later" : ""}`;
}

function restLine(groups: readonly GroupWords[]): BoardLine {
  const kinds = new Map<string, number>();
  for (const { kind, nodes } of groups) kinds.set(kind, (kinds.get(kind) ?? 0) + nodes.length);
  const all = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  const what = [...kinds].map(([kind, count]) => `${count} ${spoken(kind) || "only observed"}`).join(", ");
  return { names: "and more", nodes: all, what, hint: "rollcall board --json" };
}

function standingOf({ enforced, behind, next, rollout }: BoardUnit): string {
  if (!enforced) return "observed only";
  switch (next.kind) {
    case "continue":
      return rollout === null
        ? "running"
        : `${rollout.state}, wave ${Math.min(rollout.wave + 1, rollout.waves)} of ${rollout.waves}`;
    case "start":
      return `the next run begins: ${BEGINS[next.detail] ?? next.detail}`;
    case "stopped":
      return [spoken(rollout?.state ?? "stopped"), next.detail].filter((part) => part !== "").join(": ");
    case "nobody":
      return next.detail;
    case "waiting":
      return `waits for ${next.waiting_on.join(", ")}`;
    default:
      return behind ? "nothing more is attempted" : "all in";
  }
}

const BEGINS: Readonly<Record<string, string>> = {
  first: "first round",
  changed: "its nodes are to be something else now",
  joined: "nodes that joined, one wave",
  heal: "what is gone is made so again, one wave",
  leaving: "nodes let go of it",
  restarted: "a new round, as asked",
};

function loudOf(unit: BoardUnit): BoardBlock["loud"] {
  return [
    ...unit.escapes.map(({ gate, reason, by, at }) => ({
      label: "ESCAPE" as const,
      text: `${gate}: "${reason}" (${by}, ${at.slice(0, 10)})`,
    })),
    ...unit.warnings.map((text) => ({ label: "warning" as const, text })),
    ...unit.ignored.map(({ event, why }) => ({ label: "not taken" as const, text: `${event}: ${why}` })),
  ];
}

function spoken(code: string): string {
  return code.replaceAll(/[-_]/g, " ");
}

/** Without fractions of a second, which nobody reads. */
export function shortMoment(moment: string): string {
  return moment.replace(/(:\d{2})\.\d+/, "$1");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
