import type { FileContent } from "../../model/file-content.ts";

export { byteContent, textContent } from "../../model/text-content.ts";

/** UTF-8 text of a content; what is not UTF-8 becomes replacement characters. */
export function contentText(content: FileContent): string {
  return new TextDecoder().decode(content.bytes());
}
