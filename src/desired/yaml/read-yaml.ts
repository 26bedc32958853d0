import { Composer, type Document } from "yaml";
import type { Diagnostic } from "../../kit/diagnostic.ts";
import type { FileContent } from "../../model/file-content.ts";
import { LEXICAL_ADVICE, syntaxHint, VALUE_ADVICE } from "./advice.ts";
import { COMPOSE_OPTIONS } from "./compose.ts";
import { decodeText } from "./decode-text.ts";
import { offsetFinder, type Place, pathAt, placeFinder, type YamlPath } from "./place.ts";
import { type LexicalFinding, MAX_DEPTH, type Tokens, tokenize } from "./tokens.ts";
import { toValue, type YamlValue } from "./values.ts";

/** A YAML file that was read: its value, and where things stand in it. */
export interface YamlSource {
  readonly file: string;
  readonly text: string;
  /** The root is a map. */
  readonly value: { readonly [key: string]: YamlValue };
  /** Where a key or a value stands; of what is missing, the nearest thing above it. */
  locate(path: YamlPath, part: "key" | "value"): Place;
}

export interface YamlReading {
  /** null when the value is not known: then its schema must not be asked either. */
  readonly source: YamlSource | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Bytes. Far above any real file; it bounds what a hostile one can cost. */
const MAX_YAML_SIZE = 1024 * 1024;

/** One line each; what follows the first errors of a broken file is mostly their echo. */
const MAX_SYNTAX_ERRORS = 10;

/** A hostile file can hold a finding in every few bytes; nobody reads more than this of one file. */
const MAX_FINDINGS = 50;

type Problem = Pick<Diagnostic, "code" | "message" | "hint"> & Partial<Pick<Diagnostic, "severity">>;

/** Collects findings; the path is worked out only for those that will be shown. */
type Report = (problem: Problem, offset: number, path: () => YamlPath) => void;

/**
 * Reads one YAML file of the fleet repository by the rules of DESIGN §3: every scalar a string as written, no tags,
 * anchors, aliases, merge keys, directives or second documents, bounded in size and depth. All findings at once.
 */
export function readYaml(file: string, content: FileContent): YamlReading {
  const diagnostics: Diagnostic[] = [];
  const decoded = decodeText(file, content, MAX_YAML_SIZE);
  diagnostics.push(...decoded.diagnostics);
  if (decoded.text === null) return { source: null, diagnostics };
  const text = decoded.text;
  const place = placeFinder(text);
  let left = 0;
  const report: Report = (problem, offset, path) => {
    if (diagnostics.length < MAX_FINDINGS)
      diagnostics.push({ severity: "error", ...problem, file, ...place(offset), key: path().join(".") });
    else left++;
  };
  const value = compose(text, place, tokenize(text), report);
  if (left > 0) diagnostics.push(moreFindings(file, left));
  if (value === null) return { source: null, diagnostics };
  const offset = offsetFinder(text);
  return { source: { file, text, value, locate: (path, part) => place(offset(path, part)) }, diagnostics };
}

function moreFindings(file: string, left: number): Diagnostic {
  const message = `${left} more findings in this file are not shown`;
  const hint = "Mend those above first.";
  return { code: "more-findings", severity: "error", file, line: 1, column: 1, key: "", message, hint };
}

const ROOT = (): YamlPath => [];

function compose(
  text: string,
  place: (offset: number) => Place,
  tokens: Tokens,
  report: Report,
): YamlSource["value"] | null {
  if (tokens.tooDeepAt !== null) {
    const message = `lists and maps are nested more than ${MAX_DEPTH} deep`;
    report({ code: "too-deep", message, hint: "Flatten the file." }, tokens.tooDeepAt, ROOT);
    return null;
  }
  const [document, second] = new Composer(COMPOSE_OPTIONS).compose(tokens.tokens, true, text.length);
  if (document === undefined) throw new Error("the composer gave no document although it was told to");
  const broken = reportSyntax(text, place, document, report);
  reportLexical(document, tokens.findings, broken, report);
  if (second !== undefined) {
    const hint = "Keep one document a file; put the other into a file of its own.";
    report(
      { code: "several-documents", message: "the file holds several YAML documents", hint },
      startOf(second),
      ROOT,
    );
  }
  if (broken.size > 0 || !tokens.whole) return null;
  return rootValue(document, tokens.findings, report);
}

function rootValue(document: Document, lexical: readonly LexicalFinding[], report: Report): YamlSource["value"] | null {
  const { value, findings } = toValue(document.contents);
  if (value === "") {
    const hint = "Write its keys, or delete the file.";
    report({ code: "empty-document", message: "the file is empty", hint }, 0, ROOT);
    return null;
  }
  for (const { code, path, offset } of findings) {
    const { message, ...advice } = VALUE_ADVICE[code];
    report({ ...advice, message: message(String(path.at(-1) ?? "it")) }, offset, () => path);
  }
  if (typeof value === "string" || Array.isArray(value)) {
    const what = typeof value === "string" ? "a single text" : "a list";
    const problem = {
      code: "wrong-type",
      message: `the file must be a map of keys, not ${what}`,
      hint: "Begin with key: value lines.",
    };
    report(problem, document.contents?.range?.[0] ?? 0, ROOT);
    return null;
  }
  // What an alias or a dropped key would have said is not known, so complaints about it would be guesses.
  if (lexical.some(({ kind }) => kind === "alias") || findings.some(({ code }) => code === "complex-key")) return null;
  return value as YamlSource["value"];
}

/** Offsets of what was reported. */
function reportSyntax(
  text: string,
  place: (offset: number) => Place,
  document: Document,
  report: Report,
): ReadonlySet<number> {
  const broken = new Set<number>();
  const lines = new Set<number>();
  for (const { code, message, pos } of document.errors) {
    // The same things are found, with their exact place, among the tokens.
    if (["BAD_ALIAS", "ALIAS_PROPS", "TAG_RESOLVE_FAILED", "MULTIPLE_ANCHORS", "MULTIPLE_TAGS"].includes(code))
      continue;
    broken.add(pos[0]);
    if (lines.size >= MAX_SYNTAX_ERRORS) continue;
    const { line, column } = place(pos[0]);
    if (lines.has(line)) continue;
    lines.add(line);
    const [words = ""] = text.slice(pos[0] - column + 1, pos[0] + 1000).split("\n", 1);
    const problem = { code: "yaml-syntax", message: `not YAML: ${message}`, hint: syntaxHint(code, words) };
    report(problem, pos[0], () => pathAt(document.contents, pos[0], "outside"));
  }
  for (const { code, message, pos } of document.warnings) {
    if (code === "TAG_RESOLVE_FAILED" || code === "BAD_ALIAS" || code === "BAD_DIRECTIVE") continue;
    const hint = "Write it so that YAML has no doubt.";
    report({ code: "yaml-warning", message, hint }, pos[0], () => pathAt(document.contents, pos[0], "outside"));
  }
  return broken;
}

function reportLexical(
  document: Document,
  findings: readonly LexicalFinding[],
  broken: ReadonlySet<number>,
  report: Report,
): void {
  for (const { kind, source, offset } of findings) {
    if (broken.has(offset)) continue;
    const { message, ...advice } = LEXICAL_ADVICE[kind];
    report({ ...advice, message: message(source) }, offset, () => pathAt(document.contents, offset, "inside"));
  }
}

function startOf(document: Document): number {
  return document.contents?.range?.[0] ?? document.range?.[0] ?? 0;
}
