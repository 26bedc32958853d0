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

/** `%2F` → `/`, whatever else was thought worth encoding. */
export function percentDecoded(text: Reading): Reading {
  return replaced(text, /%[0-9A-Fa-f]{2}/g, (match) => String.fromCharCode(Number.parseInt(match.slice(1), 16)));
}

/** Without what quoting, wrapping and indenting put in between. */
export function withoutNoise(text: Reading, noise: RegExp): Reading {
  return replaced(text, noise, () => "");
}

function replaced(text: Reading, pattern: RegExp, replacement: (match: string) => string): Reading {
  const draft = new Draft();
  let done = 0;
  const copyUpTo = (limit: number): void => {
    for (; done < limit; done++) draft.add(text.bytes[done] ?? "", text.start[done] ?? 0, text.end[done] ?? 0);
  };
  for (const { 0: match, index } of text.bytes.matchAll(pattern)) {
    copyUpTo(index);
    done = index + match.length;
    draft.add(replacement(match), text.start[index] ?? 0, text.end[done - 1] ?? 0);
  }
  copyUpTo(text.bytes.length);
  return draft;
}

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
