import { nearest } from "../../desired/schema/nearest.ts";
import { visible } from "../../render/visible.ts";
import type { Word } from "../rollout-signal.ts";

/** What somebody asked for in a comment (DESIGN §6). Anybody can write one: nothing in it is trusted, and it is near no shell. */
export type CommentCommand =
  | { readonly kind: "help" }
  | { readonly kind: "plan"; readonly live: boolean }
  | { readonly kind: "status"; readonly unit: string }
  | ({ readonly kind: "word" } & Pick<Word, "say" | "unit" | "nodes" | "reason" | "acceptAlreadyTrue">)
  /** It is meant for us and cannot be understood. */
  | { readonly kind: "unclear"; readonly message: string; readonly hint: string };

/** One row of `/rollcall help`. */
export interface CommandRow {
  readonly usage: string;
  readonly does: string;
}

const HELP_HINT = "`/rollcall help` shows all commands";

const ROWS = {
  plan: { usage: "plan", does: "post the plan of this pull request anew" },
  "plan --live": {
    usage: "plan --live",
    does: "ask the nodes how they are now and post the plan that follows; changes nothing",
  },
  status: { usage: "status UNIT", does: "where a rollout stands and what it waits for" },
  pause: { usage: "pause UNIT", does: "no further wave begins" },
  resume: {
    usage: 'resume UNIT [--accept-already-true --reason "…"]',
    does: "a paused one goes on; what failed in its wave is tried again",
  },
  cancel: { usage: "cancel UNIT", does: "it ends here; what is done stays done" },
  retry: { usage: "retry UNIT [NODE…]", does: "try again what failed, or the nodes named" },
  skip: { usage: 'skip UNIT NODE… --reason "…"', does: "pass nodes over; recorded as an escape" },
  force: { usage: 'force UNIT --reason "…"', does: "open the gate it stands at without proof; recorded as an escape" },
  start: { usage: "start UNIT", does: "a new round of one that has ended" },
  rollback: { usage: "rollback UNIT", does: "how to go back; of a role that is a revert, and you get the command" },
  "approve-canary": {
    usage: "approve-canary UNIT",
    does: "for strategies that wait for it; none of roles does",
  },
  help: { usage: "help", does: "this table" },
} as const satisfies Record<string, CommandRow>;

export const COMMAND_ROWS: readonly CommandRow[] = Object.values(ROWS);

const VERBS = Object.keys(ROWS).filter((verb): verb is Verb => verb !== "plan --live");

/** Characters of a command; a longer line is somebody's text and not a command. */
const LONGEST = 4000;
/** More nodes than these are a mistake, and a list that nobody would read in the record. */
const MOST_NODES = 200;

/**
 * The command in a comment: its first line, when that begins with `/rollcall`. null: it is not meant for us. Quotes hold
 * words together; the quotes and dashes that telephones put in place of the typed ones count as those.
 */
export function commentCommand(body: string): CommentCommand | null {
  const [first = "", ...rest] = body.split(/\r\n|[\n\r]/);
  if (!/^\/rollcall(\s|$)/.test(first)) return null;
  const line = first.slice("/rollcall".length);
  if (line.length > LONGEST) return unclear(`the command has ${line.length} characters; ${LONGEST} are the most`);
  if (rest.some((other) => /^\/rollcall(\s|$)/.test(other)))
    return unclear("there are several commands in one comment, and none was carried out", "write one comment for each");
  const words = wordsOf(line);
  return words === null ? unclear("a quotation is not closed", 'write --reason "…"') : meantBy(words);
}

function meantBy(words: readonly Token[]): CommentCommand {
  const [first, ...rest] = words;
  if (first === undefined) return { kind: "help" };
  const verb = VERBS.find((one) => one === first.text);
  if (verb === undefined) {
    const near = nearest(first.text, VERBS);
    const hint = near === undefined ? HELP_HINT : `did you mean ${near}? ${HELP_HINT}`;
    return unclear(`there is no command ${shown(first.text)}`, hint);
  }
  const given = argumentsOf(rest);
  if ("kind" in given) return given;
  const allowed = FLAGS[verb] ?? ["reason"];
  if (given.flags.some((flag) => !allowed.includes(flag))) return usage(verb);
  if (verb === "help") return given.operands.length === 0 ? { kind: "help" } : usage(verb);
  if (verb === "plan") {
    const live = given.flags.includes("live");
    return given.operands.length === 0 ? { kind: "plan", live } : usage("plan --live");
  }
  return aboutUnit(verb, given);
}

function aboutUnit(verb: Exclude<Verb, "help" | "plan">, given: Given): CommentCommand {
  const [unit, ...nodes] = given.operands;
  if (unit === undefined) return usage(verb);
  if (verb === "status") return nodes.length === 0 ? { kind: "status", unit } : usage(verb);
  if (nodes.length > MOST_NODES) return unclear(`${nodes.length} nodes are named; ${MOST_NODES} are the most`);
  const { reason, flags } = given;
  return { kind: "word", say: verb, unit, nodes, reason, acceptAlreadyTrue: flags.includes("accept-already-true") };
}

type Verb = Exclude<keyof typeof ROWS, "plan --live">;
type Flag = "reason" | "live" | "accept-already-true";

/** Of words to a rollout it is a reason, which all of them may have. */
const FLAGS: Partial<Record<Verb, readonly Flag[]>> = {
  help: [],
  plan: ["live"],
  status: [],
  resume: ["reason", "accept-already-true"],
};

interface Given {
  readonly operands: readonly string[];
  readonly flags: readonly Flag[];
  readonly reason: string | null;
}

function argumentsOf(words: readonly Token[]): Given | Extract<CommentCommand, { kind: "unclear" }> {
  const operands: string[] = [];
  const flags: Flag[] = [];
  let reason: string | null = null;
  for (let index = 0; index < words.length; index++) {
    const { text, quoted } = words[index] as Token;
    const option = quoted ? null : OPTION.exec(text);
    if (option === null) {
      // Units and nodes have no other characters; what has them is meant as something else.
      if (!/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}$/.test(text))
        return unclear(`${shown(text)} is neither a unit nor a node`, 'a reason is written --reason "…"');
      operands.push(text);
      continue;
    }
    const [, name = "", inline] = option;
    const flag = FLAG_NAMES.find((one) => one === name);
    if (flag === undefined || flags.includes(flag) || (flag !== "reason" && inline !== undefined))
      return unclear(`${shown(text)} cannot be used here`);
    flags.push(flag);
    if (flag !== "reason") continue;
    reason = inline ?? words[++index]?.text ?? null;
    if (reason === null) return unclear("--reason has no text", 'write --reason "…"');
  }
  return { operands, flags, reason };
}

const FLAG_NAMES: readonly Flag[] = ["reason", "live", "accept-already-true"];

/** Telephones make one long dash of two short ones. */
const OPTION = /^(?:--|[\u2013\u2014])([^\s=]*)(?:=(.*))?$/s;

interface Token {
  readonly text: string;
  /** It begins with a quote: it is no option, whatever it looks like. */
  readonly quoted: boolean;
}

const CLOSES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\u201c", "\u201d"],
  ["\u201d", "\u201d"],
  ["\u201e", "\u201c"],
]);

/** Words as a shell would part them, of which it has only double quotes and `\"` in them. null: a quote stays open. */
function wordsOf(line: string): readonly Token[] | null {
  const words: Token[] = [];
  let text: string | null = null;
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const close = CLOSES.get(character);
    if (close !== undefined) {
      quoted ||= text === null;
      const inner = quotation(line, at + 1, close);
      if (inner === null) return null;
      text = (text ?? "") + inner.text;
      at = inner.end;
    } else if (/\s/.test(character)) {
      if (text !== null) words.push({ text, quoted });
      text = null;
      quoted = false;
    } else text = (text ?? "") + character;
  }
  if (text !== null) words.push({ text, quoted });
  return words;
}

function quotation(line: string, from: number, close: string): { readonly text: string; readonly end: number } | null {
  let text = "";
  for (let at = from; at < line.length; at++) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (character === close) return { text, end: at };
    if (character === "\\" && (next === close || next === "\\")) at += 1;
    text += line.charAt(at);
  }
  return null;
}

function usage(verb: keyof typeof ROWS): CommentCommand {
  return unclear(`${verb} is not used like that`, `write /rollcall ${ROWS[verb].usage}`);
}

function unclear(message: string, hint: string = HELP_HINT): Extract<CommentCommand, { kind: "unclear" }> {
  return { kind: "unclear", message, hint };
}

/** Somebody's word in a message, short. */
function shown(text: string): string {
  const seen = visible(text);
  return seen.length > 60 ? `${seen.slice(0, 60)}…` : seen;
}
