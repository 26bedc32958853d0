import { markdownCode, markdownText } from "./markdown-text.ts";

/** GitHub takes 65,536; an answer that long is one that nobody reads. */
const MOST_CHARACTERS = 20_000;

/** The first line of the one answer to a comment: the same event twice finds it. */
export function answerMark(comment: number): string {
  return `<!-- rollcall:answer to=${comment} -->`;
}

export interface CommentAnswer {
  /** The comment that is answered. */
  readonly to: number;
  /** One sentence of our own. */
  readonly headline: string;
  /** What a verb printed; untrusted words are in it. null: nothing. */
  readonly output: string | null;
  /** Markdown of our own after it: what follows, what to do. */
  readonly after: readonly string[];
}

/** The answer to a command in a comment (DESIGN §6). Nothing in `output` becomes Markdown, a mention or a mark. */
export function renderCommentAnswer({ to, headline, output, after }: CommentAnswer): string {
  const printed = output === null || output.trim() === "" ? [] : [fenced(output)];
  return `${[`${answerMark(to)}\n${headline}`, ...printed, ...after].join("\n\n")}\n`;
}

export function renderCommandTable(rows: readonly { readonly usage: string; readonly does: string }[]): string {
  const lines = rows.map(({ usage, does }) => `| ${markdownCode(`/rollcall ${usage}`)} | ${markdownText(does)} |`);
  const units =
    "`UNIT` is `role:NAME`, or one rollout of it, `role:NAME@DIGEST`. One command a comment, in its first line.";
  return ["| command | does |", "|---|---|", ...lines, "", units].join("\n");
}

/** Text as it is, in a fence that it cannot close. */
function fenced(text: string): string {
  const shown =
    text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}\n… the run's log has the rest` : text;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${shown.trimEnd()}\n${fence}`;
}
