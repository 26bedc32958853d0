import type { LexicalFinding } from "./tokens.ts";
import type { ValueFinding } from "./values.ts";

/** What is said about syntax that our files do not use: message and what to do instead (cases.md E). */
interface Advice {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: (what: string) => string;
  readonly hint: string;
}

const QUOTE =
  "If it belongs to the text, quote the value or write it as a block: key: | and the text on the next line.";

export const LEXICAL_ADVICE: Readonly<Record<LexicalFinding["kind"], Advice>> = {
  tag: {
    code: "yaml-tag",
    severity: "error",
    message: (what) => `${what} is a YAML tag here, not text: a shell line would lose it without a word`,
    hint: QUOTE,
  },
  anchor: {
    code: "yaml-anchor",
    severity: "error",
    message: (what) => `${what} is a YAML anchor here, not text; anchors are not used in these files`,
    hint: QUOTE,
  },
  alias: {
    code: "yaml-alias",
    severity: "error",
    message: (what) => `${what} is a YAML alias here, not text; aliases are not used in these files`,
    hint: QUOTE,
  },
  directive: {
    code: "yaml-directive",
    severity: "error",
    message: (what) => `${what.trimEnd()} is a YAML directive; directives are not used in these files`,
    hint: "Remove the line.",
  },
};

export const VALUE_ADVICE: Readonly<Record<ValueFinding["code"], Advice>> = {
  "complex-key": {
    code: "complex-key",
    severity: "error",
    message: () => "a key must be plain text, not a list or a map",
    hint: QUOTE,
  },
  "cut-by-comment": {
    code: "cut-by-comment",
    severity: "warning",
    message: (what) => `the comment after ${what} is not part of the shell line: YAML cuts the line at " #"`,
    hint: "Quote the line or write it as a block with |, and put the comment on a line of its own.",
  },
  "duplicate-key": {
    code: "duplicate-key",
    severity: "error",
    message: (what) => `${what} is there twice; only one of them can count`,
    hint: "Keep one. A merge of two branches can leave both.",
  },
  "reserved-key": {
    code: "reserved-key",
    severity: "error",
    message: (what) => `${what} cannot be a key`,
    hint: "Choose another name.",
  },
  "unquoted-mode": {
    code: "unquoted-mode",
    severity: "error",
    message: () => "a mode without quotes is a number to other YAML tools, and not the same one to all of them",
    hint: 'Modes are quoted octal: mode: "0644".',
  },
  "yaml-merge-key": {
    code: "yaml-merge-key",
    severity: "error",
    message: () => "<< is a YAML merge key; merge keys are not used in these files",
    hint: "Write the keys out.",
  },
};

/** What to do about a syntax error, from the line it stands on: mostly it is shell text that YAML took for its own. */
export function syntaxHint(code: string, line: string): string {
  if (code === "TAB_AS_INDENT") return "Indent with spaces.";
  if (code === "BAD_DQ_ESCAPE") return "Inside double quotes write \\\\ for a backslash, or use single quotes.";
  const value = /^\s*(?:- +)*[\w.-]+: +(\S.*)$/.exec(line)?.[1];
  if (value !== undefined && /^[[{%@`&*!|>"']|: | #/.test(value)) return QUOTE;
  if (code === "BAD_INDENT" || code === "MULTILINE_IMPLICIT_KEY") return "Keys of one map begin in the same column.";
  return "Mend the syntax; the rest of the file is read after that.";
}
