import type { FileContent } from "../model/file-content.ts";
import type { NodeEffect } from "../model/node-effect.ts";
import type { Finding, ResourceRecord } from "./contract.ts";
import type { OwnedPath } from "./path-comparison.ts";

/** The verbs of a regular file, whatever its bytes mean (host-state §4). */
export function fileEffects(
  record: ResourceRecord & OwnedPath,
  content: FileContent | null,
  finding: Finding,
): readonly NodeEffect[] {
  const { path, mode, owner, group } = record;
  if (finding.verb === "remove") return [{ do: "remove-file", path }];
  if (finding.verb === "chmod") return [{ do: "set-mode", path, mode }];
  if (finding.verb === "chown") return [{ do: "set-owner", path, owner, group, mode }];
  if (content === null) throw new Error(`${record.id} has no content to write`);
  return [{ do: "write-file", path, content, mode, owner, group }];
}
