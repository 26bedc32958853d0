import { sha256Hex } from "../../kit/digest.ts";
import type { FileContent } from "../../model/file-content.ts";

/** A text as file content, in UTF-8. */
export function textContent(text: string): FileContent {
  return byteContent(new TextEncoder().encode(text));
}

export function byteContent(bytes: Uint8Array): FileContent {
  let sha256: string | undefined;
  return {
    // Most files of a simulated fleet are never asked for their digest.
    get sha256() {
      sha256 ??= sha256Hex(bytes);
      return sha256;
    },
    size: bytes.length,
    bytes: () => bytes,
  };
}

/** UTF-8 text of a content; what is not UTF-8 becomes replacement characters. */
export function contentText(content: FileContent): string {
  return new TextDecoder().decode(content.bytes());
}
