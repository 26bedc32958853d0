import { sha256Hex } from "../../kit/digest.ts";
import type { FileContent } from "../../model/file-content.ts";
import { textContent } from "../../model/text-content.ts";
import type { DesiredFiles, FileWrite } from "../../ports.ts";

/** The files as they would be after some writes. */
export function overlay(files: DesiredFiles, writes: readonly FileWrite[]): DesiredFiles {
  const written = new Map(writes.map(({ path, text }) => [path, text === null ? undefined : contentOf(text)]));
  const paths = new Set([...files.paths, ...written.keys()]);
  for (const { path, text } of writes) if (text === null) paths.delete(path);
  return {
    origin: files.origin,
    paths: [...paths].sort(),
    refused: files.refused ?? [],
    read: (path) => (written.has(path) ? written.get(path) : files.read(path)),
  };
}

function contentOf(text: string | Uint8Array): FileContent {
  if (typeof text === "string") return textContent(text);
  return { sha256: sha256Hex(text), size: text.length, bytes: () => text };
}
