import { utf8Bytes } from "./secret-readings.ts";

/** Characters; anything shorter is not masked, since it would be found everywhere. */
const SHORTEST_MASKED = 4;

/**
 * What stands for a secret in a text: strings whose characters are bytes. Tools print their output line by line,
 * indented, with other line ends; so each line of a secret is one by itself.
 */
export function secretForms(secret: string): string[] {
  const parts = [secret, ...secret.split(/[\r\n]+/).map((line) => line.trim())];
  const long = parts.filter((part) => [...part].length >= SHORTEST_MASKED);
  return [...new Set(long.flatMap((part) => [...spellings(part).map(utf8Bytes), ...base64Forms(utf8Bytes(part))]))];
}

/** Forms as they are in a text without noise; what is too short then would be found everywhere. */
export function formsWithoutNoise(forms: readonly string[], noise: RegExp): string[] {
  return forms.map((form) => form.replace(noise, "")).filter((form) => form.length >= SHORTEST_MASKED);
}

function spellings(text: string): string[] {
  const json = jsonString(text);
  return [
    text,
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replace(/["\\$`]/g, "\\$&"),
    text.replace(/[^A-Za-z0-9\n]/gu, "\\$&"),
    json,
    jsonString(json),
    escapedUnits(json, /[^ -~]/g),
    escapedUnits(json, /[^ -~]/g).replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`),
    escapedUnits(json, /[<>&\u2028\u2029]/g),
    escapedBytes(text),
    ...urlSpellings(text),
  ];
}

function jsonString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What some JSON writers escape beyond what they must: all but ASCII, or what would mean something in HTML. */
function escapedUnits(json: string, units: RegExp): string {
  return json.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** As C, git and `ls` write names: `\t`, and octal for what is not printable ASCII. */
function escapedBytes(text: string): string {
  return utf8Bytes(text).replace(/[^ !#-[\]-~]/g, (byte) => {
    const code = byte.charCodeAt(0);
    const letter = { 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\" }[code];
    return `\\${letter ?? code.toString(8).padStart(3, "0")}`;
  });
}

function urlSpellings(text: string): string[] {
  // A lone surrogate has no encoding; the replacement character is what every encoder of bytes makes of it.
  const component = encodeURIComponent(new TextDecoder().decode(new TextEncoder().encode(text)));
  const strict = component.replace(/[!'()*]/g, (character) => `%${hex(character)}`);
  const whole = utf8Bytes(text).replace(/[\s\S]/g, (byte) => `%${hex(byte)}`);
  const form = strict.replaceAll("%20", "+").replaceAll("%2A", "*").replaceAll("~", "%7E");
  const capital = [component, strict, form, whole, text.replaceAll(" ", "+")];
  return [...capital, ...capital.map(smallHex)];
}

function smallHex(url: string): string {
  return url.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
}

function hex(byte: string): string {
  return byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
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
  const whole = btoa(bytes);
  const standard = [whole, whole.replace(/=+$/, ""), ...inside];
  const forUrls = standard.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  const capital = standard.map((form) => encodeURIComponent(form));
  return [...standard, ...forUrls, ...capital, ...capital.map(smallHex)];
}
