import { createHash } from "node:crypto";
import type { FileContent } from "../../src/model/file-content.ts";
import type { DesiredFiles } from "../../src/ports.ts";

/** Desired files from memory; `reads` counts how often each was read. */
export function textFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
): DesiredFiles & { reads: Map<string, number> } {
  const reads = new Map<string, number>();
  const contents = new Map(Object.entries(files).map(([path, data]) => [path, content(path, data, reads)]));
  return { origin: "memory", paths: [...contents.keys()].sort(), read: (path) => contents.get(path), reads };
}

function content(path: string, data: string | Uint8Array, reads: Map<string, number>): FileContent {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return {
    sha256: createHash("sha256").update(bytes).digest("hex"),
    size: bytes.length,
    bytes: () => {
      reads.set(path, (reads.get(path) ?? 0) + 1);
      return bytes;
    },
  };
}

export const FLEET = "version: 2\ngeneration: 42\n";

/** The least that is a valid node. */
export function node(name: string, more = ""): string {
  return `name: ${name}\nclass: server\naddress: ${name}.example.org\n${more}`;
}

/** The least that is a valid role; `resources` is the text after `resources:`. */
export function role(name: string, more = "", resources = " []"): string {
  return `role: ${name}\nversion: 1\ndescription: Test.\n${more}resources:${resources}\n`;
}
