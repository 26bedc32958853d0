import { secretReason } from "./secret.ts";

/** A line of a text that looks like a secret. */
export interface SecretLine {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/**
 * The first line of a text that looks like a secret, by the rule `inline-secret` applied to `name = value`, `name: value`
 * and `name value`, and to each word by itself; null: none does. For text that somebody is about to be shown, so it errs
 * on the side of seeing one.
 */
export function secretInText(text: string): SecretLine | null {
  let line = 0;
  for (const written of text.split("\n")) {
    line++;
    const reason = secretInLine(written);
    if (reason !== null) return { line, reason };
  }
  return null;
}

function secretInLine(line: string): string | null {
  const whole = secretReason("", line);
  if (whole !== null) return whole;
  const words = line.split(/[\s"'=,;<>()[\]{}]+/);
  for (const word of words) {
    const reason = secretReason("", word) ?? formReason(word);
    if (reason !== null) return reason;
  }
  return (
    pairs(line)
      .map(({ name, value }) => secretReason(name, value))
      .find((reason) => reason !== null) ?? null
  );
}

/** Forms that are secrets in a file and would be odd in the value of a variable. */
function formReason(word: string): string | null {
  if (/^[^:]{0,64}:?\$(1|2[aby]?|5|6|7|y|gy)\$[./A-Za-z0-9$=,-]{20}/.test(word)) return "the value is a password hash";
  return /^eyJ[A-Za-z0-9_-]{10,2048}\.eyJ[A-Za-z0-9_-]{10}/.test(word) ? "the value is a web token" : null;
}

/** Names and values longer than this are not read as such, characters. */
const NAME_LIMIT = 120;
const VALUE_LIMIT = 4096;
/** `Environment=DB=x:y`: so many signs of a line are taken for the one between a name and its value. */
const MOST_PAIRS = 8;

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** `db.password: x`, `export API-KEY="x"`, `requirepass x`: names as environment variables would be called. */
function pairs(line: string): readonly Pair[] {
  const trimmed = line.trim();
  if (trimmed.length > NAME_LIMIT + VALUE_LIMIT) return [];
  const words = trimmed.split(/\s+/);
  if (words.length === 2) return [pair(words[0] ?? "", words[1] ?? ""), ...signedPairs(trimmed)];
  return signedPairs(trimmed);
}

function signedPairs(text: string): readonly Pair[] {
  return [...text.matchAll(/[:=]/g)].slice(0, MOST_PAIRS).map(({ index }) => {
    const [name = ""] = text
      .slice(0, index)
      .trim()
      .split(/[\s:=]/)
      .slice(-1);
    return pair(name, text.slice(index + 1));
  });
}

function pair(written: string, value: string): Pair {
  const name = written.slice(0, NAME_LIMIT).replace(/["']/g, "");
  const asVariable = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/([a-z])(pass|passwd|password|passphrase|secret|token)$/, "$1_$2");
  return { name: asVariable, value: unquoted(value) };
}

function unquoted(value: string): string {
  const bare = value.trim().replace(/[,;]$/, "");
  const quote = bare[0];
  return (quote === '"' || quote === "'") && bare.endsWith(quote) && bare.length > 1 ? bare.slice(1, -1) : bare;
}
