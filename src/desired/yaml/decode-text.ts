import type { Diagnostic } from "../../kit/diagnostic.ts";
import type { FileContent } from "../../model/file-content.ts";
import { placeFinder } from "./place.ts";

/** UTF-8 bytes → text, with what an editor of another system may have left in them (cases.md 38, 52). */
export function decodeText(
  file: string,
  content: FileContent,
  maxSize: number,
): { text: string | null; diagnostics: readonly Diagnostic[] } {
  const whole = { severity: "error", file, line: 1, column: 1, key: "" } as const;
  if (content.size > maxSize) {
    const message = `the file has ${content.size} bytes; at most ${maxSize} are read`;
    const hint = "Split it, or move large content under files/ and name it with source.";
    return { text: null, diagnostics: [{ ...whole, code: "file-too-large", message, hint }] };
  }
  const bytes = content.bytes();
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = utf8(marked ? bytes.subarray(3) : bytes);
  if (text === null) {
    const hint = "Save it as UTF-8 without a byte-order mark.";
    return { text, diagnostics: [{ ...whole, code: "invalid-utf8", message: "the file is not UTF-8 text", hint }] };
  }
  const diagnostics: Diagnostic[] = [];
  if (marked) {
    const message = "the file begins with a byte-order mark, which becomes part of the first key elsewhere";
    diagnostics.push({
      ...whole,
      code: "byte-order-mark",
      message,
      hint: "Save it as UTF-8 without a byte-order mark.",
    });
  }
  return { text, diagnostics: [...diagnostics, ...carriageReturn(file, text)] };
}

/** A warning at the first carriage return of a text. */
function carriageReturn(file: string, text: string): readonly Diagnostic[] {
  const at = text.indexOf("\r");
  if (at === -1) return [];
  const message = "the file has carriage returns at its line ends; on a node they stay part of the text";
  const hint = "Save it with LF line ends, and keep `* text=auto eol=lf` in .gitattributes.";
  const place = placeFinder(text)(at);
  return [{ code: "carriage-return", severity: "warning", file, ...place, key: "", message, hint }];
}

/** null when the bytes are not UTF-8. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
