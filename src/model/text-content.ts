import { sha256Hex } from "../kit/digest.ts";
import type { FileContent } from "./file-content.ts";

/** A text as file content, in UTF-8. */
export function textContent(text: string): FileContent {
  return byteContent(new TextEncoder().encode(text));
}

/** Bytes as file content; hashed only when somebody asks. */
export function byteContent(bytes: Uint8Array): FileContent {
  let sha256: string | undefined;
  return {
    get sha256() {
      sha256 ??= sha256Hex(bytes);
      return sha256;
    },
    size: bytes.length,
    bytes: () => bytes,
  };
}
