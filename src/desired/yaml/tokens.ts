import { CST, Lexer, Parser } from "yaml";

/** Levels of lists and maps. Real files have about eight; what parses them is recursive and must not overflow. */
export const MAX_DEPTH = 64;

/** A file with more of either is not read on: each costs the library an exception, and only the first are shown. */
const MAX_ERROR_TOKENS = 100;
const MAX_FINDINGS = 1000;

/** Syntax that our files do not use, found where it is written. */
export interface LexicalFinding {
  readonly kind: "tag" | "anchor" | "alias" | "directive";
  readonly source: string;
  readonly offset: number;
}

export interface Tokens {
  readonly tokens: readonly CST.Token[];
  readonly findings: readonly LexicalFinding[];
  /** False: the rest of the text was not looked at, and the value is not known. */
  readonly whole: boolean;
  /** Where the nesting went over {@link MAX_DEPTH}; null when it did not. */
  readonly tooDeepAt: number | null;
}

/** By the first character of a lexeme. Asked for every lexeme of every file, hence numbers and no texts. */
const KINDS = new Map<number, LexicalFinding["kind"]>([
  [33, "tag"],
  [37, "directive"],
  [38, "anchor"],
  [42, "alias"],
]);
const { SCALAR } = CST;

/**
 * Text → syntax tokens. The parser is fed one lexeme at a time and its stack watched, so that a nest of thousands of
 * brackets ends here instead of overflowing whatever walks the tree (cases.md 51).
 */
export function tokenize(text: string): Tokens {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const findings: LexicalFinding[] = [];
  // The lexer announces a scalar with a mark; what follows the mark is content, whatever it looks like.
  let content = false;
  let errors = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const kind = content ? undefined : KINDS.get(lexeme.charCodeAt(0));
    if (kind !== undefined) findings.push({ kind, source: lexeme, offset: parser.offset });
    content = !content && lexeme === SCALAR;
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") errors++;
      tokens.push(token);
    }
    if (errors > MAX_ERROR_TOKENS || findings.length > MAX_FINDINGS)
      return { tokens, findings, whole: false, tooDeepAt: null };
    if (parser.stack.length > MAX_DEPTH) return { tokens, findings, whole: false, tooDeepAt: parser.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, findings, whole: true, tooDeepAt: null };
}
