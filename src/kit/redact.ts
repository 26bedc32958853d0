import { multiSearch, type Span } from "./multi-search.ts";
import { formsWithoutNoise, secretForms } from "./secret-forms.ts";
import { percentDecoded, plainReading, type Reading, withoutNoise } from "./secret-readings.ts";

/** Takes secrets out of a text, in time linear in it. Prepared once, used for everything that leaves a run. */
export type Redactor = (text: string) => string;

/** What quoting, wrapping and indenting put between the characters of a secret, without and with escaped line ends. */
const NOISES = [/[ \t\r\n'"\\]/g, /\\[nrt]|[ \t\r\n'"\\]/g] as const;

/**
 * Masks every secret of at least four characters, and each line of one that has several: as it is, in base64 (also in
 * the middle of something encoded, also wrapped), URL-encoded, escaped as JSON or C would, quoted for a shell, each also within
 * the other's quotes, or broken into lines. It rather masks a few characters too many than one too few.
 */
export function redactor(secrets: Iterable<string>): Redactor {
  const known = [...secrets];
  const forms = known.flatMap(secretForms);
  if (forms.length === 0) return (text) => text;
  const search = multiSearch(forms);
  const compact = NOISES.map((noise) => ({ noise, search: multiSearch(formsWithoutNoise(forms, noise)) }));
  const mask = maskFor(known);
  return (text) => {
    const plain = plainReading(text);
    const spans = [
      found(plain, search),
      found(percentDecoded(plain), search),
      ...compact.map((one) => found(withoutNoise(plain, one.noise), one.search)),
    ];
    return masked(text, spans.flat(), mask);
  };
}

export function redact(text: string, secrets: Iterable<string>): string {
  return redactor(secrets)(text);
}

/** Made of a character that no secret has, so that no secret can arise from a mask and what stands beside it. */
function maskFor(secrets: readonly string[]): string {
  const used = new Set(secrets.flatMap((secret) => [...secret]));
  let character = "*";
  for (let code = 0x2580; used.has(character); code++) character = String.fromCodePoint(code);
  return character.repeat(3);
}

function found(reading: Reading, search: (bytes: string) => readonly Span[]): Span[] {
  return search(reading.bytes).map(({ start, end }) => ({
    start: reading.start[start] ?? 0,
    end: reading.end[end - 1] ?? 0,
  }));
}

/** One mask for spans that overlap or touch. */
function masked(text: string, spans: readonly Span[], mask: string): string {
  let result = "";
  let done = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (end <= done) continue;
    if (start > done || done === 0) result += text.slice(done, start) + mask;
    done = end;
  }
  return result + text.slice(done);
}
