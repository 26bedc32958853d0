import { type EnvironmentOddity, readAssignments } from "./environment-file-states.ts";
import { ENVIRONMENT_NAME } from "./environment-name.ts";

export interface EnvironmentEntry {
  readonly name: string;
  readonly value: string;
  /** 1-based, where the assignment begins. */
  readonly line: number;
}

export type EnvironmentReading =
  | {
      readonly kind: "read";
      /** What a unit gets, in systemd's order: each name once, valid ones only. */
      readonly entries: readonly EnvironmentEntry[];
      readonly oddities: readonly EnvironmentOddity[];
    }
  /** systemd takes nothing from such a file, and a unit that names it does not start. */
  | { readonly kind: "refused"; readonly code: "not-text" | "nul"; readonly line: number; readonly message: string };

/**
 * What a unit with this `EnvironmentFile=` gets (DESIGN §3.2): systemd's own reading, which is neither that of
 * `Environment=` nor a shell's. `$` and back-quotes mean nothing in it. Line ends may be CRLF.
 */
export function parseEnvironmentFile(content: Uint8Array | string): EnvironmentReading {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const line = bytes.subarray(0, nul).filter((byte) => byte === 10).length + 1;
    return { kind: "refused", code: "nul", line, message: "the file holds a NUL byte" };
  }
  const { assignments, oddities } = readAssignments(toLatin1(bytes));
  const found = [...oddities];
  const entries = new Map<string, EnvironmentEntry>();
  for (const { line, ...raw } of assignments) {
    const name = asSystemdText(raw.name);
    const value = asSystemdText(raw.value);
    if (name === undefined || value === undefined) {
      return { kind: "refused", code: "not-text", line, message: "an assignment holds bytes that are not UTF-8 text" };
    }
    if (entries.has(name)) found.push({ code: "duplicate-name", line, message: `${name} is assigned once more` });
    // A key that is there keeps its place, as with systemd.
    entries.set(name, { name, value, line });
  }
  for (const { name, line } of [...entries.values()]) {
    if (ENVIRONMENT_NAME.test(name)) continue;
    entries.delete(name);
    found.push({ code: "invalid-name", line, message: "what stands before the = is not the name of a variable" });
  }
  return { kind: "read", entries: [...entries.values()], oddities: found.sort((a, b) => a.line - b.line) };
}

/** systemd counts code points that are no characters (U+FDD0…FDEF, U+…FFFE, U+…FFFF) as broken UTF-8. */
export const NOT_SYSTEMD_TEXT = /\p{Noncharacter_Code_Point}|\p{Surrogate}/u;

function asSystemdText(latin1: string): string | undefined {
  const bytes = Uint8Array.from(latin1, (character) => character.charCodeAt(0));
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return NOT_SYSTEMD_TEXT.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function toLatin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
