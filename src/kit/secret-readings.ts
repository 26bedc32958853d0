/**
 * A text as somebody could read it: a string whose characters are UTF-8 bytes, and for each byte the part of the
 * original text (UTF-16 indices) that stands for it.
 */
export interface Reading {
  readonly bytes: string;
  readonly start: readonly number[];
  readonly end: readonly number[];
}

export function utf8Bytes(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/** The text itself. */
export function plainReading(text: string): Reading {
  const draft = new Draft();
  let index = 0;
  for (const character of text) {
    draft.add(character < "\u0080" ? character : utf8Bytes(character), index, index + character.length);
    index += character.length;
  }
  return draft;
}

/** `%2F` → `/`. */
export function percentDecoded(text: Reading): Reading {
  return decoded(text, "%", (at) => {
    const digits = text.bytes.slice(at + 1, at + 3);
    return isHex(digits, 2) ? { bytes: hexByte(digits), length: 3 } : null;
  });
}

/** Backslash escapes of JSON, C and shells: `\n`, `\u00e9`, `\x1b`, `\303`; of any other character the character. */
export function backslashDecoded(text: Reading): Reading {
  return decoded(text, "\\", (at) => escapeAt(text.bytes, at));
}

/** Without what quoting, wrapping and indenting put in between. */
export function withoutNoise(text: Reading): Reading {
  const draft = new Draft();
  for (let at = 0; at < text.bytes.length; at++) {
    const byte = text.bytes[at] ?? "";
    if (!NOISE.includes(byte)) draft.add(byte, text.start[at] ?? 0, text.end[at] ?? 0);
  }
  return draft;
}

const NOISE = " \t\r\n'\"\\";

class Draft implements Reading {
  bytes = "";
  readonly start: number[] = [];
  readonly end: number[] = [];

  add(bytes: string, start: number, end: number): void {
    this.bytes += bytes;
    for (let index = 0; index < bytes.length; index++) {
      this.start.push(start);
      this.end.push(end);
    }
  }
}

/** What an escape stands for, and how many bytes it takes; null when it is none. */
type Escape = { readonly bytes: string; readonly length: number } | null;

function decoded(text: Reading, mark: string, escape: (at: number) => Escape): Reading {
  const draft = new Draft();
  for (let at = 0; at < text.bytes.length; ) {
    const byte = text.bytes[at] ?? "";
    const { bytes, length } = (byte === mark ? escape(at) : null) ?? { bytes: byte, length: 1 };
    draft.add(bytes, text.start[at] ?? 0, text.end[at + length - 1] ?? 0);
    at += length;
  }
  return draft;
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", e: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};

function escapeAt(text: string, at: number): Escape {
  const letter = text[at + 1] ?? "";
  if (letter === "u") return unicodeEscape(text, at);
  const hex = text.slice(at + 2, at + 4);
  if (letter === "x" && isHex(hex, 2)) return { bytes: hexByte(hex), length: 4 };
  const octal = /^[0-3]?[0-7]{1,2}/.exec(text.slice(at + 1, at + 4))?.[0];
  if (octal !== undefined) return { bytes: String.fromCharCode(Number.parseInt(octal, 8)), length: 1 + octal.length };
  return letter === "" ? null : { bytes: NAMED[letter] ?? letter, length: 2 };
}

/** Characters outside the basic plane are two escapes in JSON. */
function unicodeEscape(text: string, at: number): Escape {
  const first = unitAt(text, at);
  if (first === null) return { bytes: "u", length: 2 };
  const second = /[\ud800-\udbff]/.test(first) ? unitAt(text, at + 6) : null;
  const pair = second !== null && /[\udc00-\udfff]/.test(second) ? second : "";
  return { bytes: utf8Bytes(first + pair), length: pair === "" ? 6 : 12 };
}

function unitAt(text: string, at: number): string | null {
  const digits = text.slice(at + 2, at + 6);
  if (!text.startsWith("\\u", at) || !isHex(digits, 4)) return null;
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function isHex(digits: string, count: number): boolean {
  return digits.length === count && /^[0-9a-fA-F]+$/.test(digits);
}

function hexByte(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}
