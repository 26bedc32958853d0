import { utf8Bytes } from "./secret-readings.ts";

/** Characters; anything shorter is not masked, since it would be found everywhere. */
export const SHORTEST_MASKED = 4;

/** What stands for a secret in a text: strings whose characters are bytes. */
export function secretForms(secret: string): string[] {
  // Tools print their output line by line, indented, with other line ends; a line alone is as secret as all.
  const parts = [secret, ...secret.split(/[\r\n]+/).map((line) => line.trim())].filter(isLongEnough);
  return [...new Set(parts.flatMap((part) => [...spellings(part).map(utf8Bytes), ...base64Forms(utf8Bytes(part))]))];
}

/** The same, less what {@link withoutNoise} takes from a text. */
export function formsWithoutNoise(forms: readonly string[]): string[] {
  return forms.map((form) => form.replace(/[ \t\r\n'"\\]/g, "")).filter((form) => form.length >= SHORTEST_MASKED);
}

function isLongEnough(text: string): boolean {
  return [...text].length >= SHORTEST_MASKED;
}

/** As it is; with its single quotes as shells write them between single quotes; with its blanks as forms send them. */
function spellings(text: string): string[] {
  return [text, text.replaceAll("'", "'\\''"), text.replaceAll("'", `'"'"'`), text.replaceAll(" ", "+")];
}

/**
 * Base64 of the bytes wherever they stand in what was encoded (`user:password`): for each of the three places in a group
 * the digits that depend on nothing else. On its own also with the last digit and its padding.
 */
function base64Forms(bytes: string): string[] {
  const inside = [0, 1, 2].map((before) => {
    const digits = btoa("\0".repeat(before) + bytes);
    return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const standard = [btoa(bytes), ...inside];
  return [...standard, ...standard.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
