import type { FileContent } from "../model/file-content.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import { resourceType } from "../resources/index.ts";
import type { DriftEntry } from "./drift.ts";

/** An item that changes the content of a file which people may see. */
export interface ComparableContent {
  readonly role: string;
  readonly resource: string;
  readonly path: string;
  /** null: the file is to go. */
  readonly declared: FileContent | null;
  /** null: there is no file yet. */
  readonly onNode: {
    readonly size: number;
    /** Null when it was not asked. */
    readonly sha256: string | null;
  } | null;
  /** Only its owner may read the one or the other, as it is with keys and passwords. */
  readonly isPrivate: boolean;
}

/**
 * What `--diff` is about: items whose type shows its content ({@link ResourceType.shownPath}), hold no secret, and write
 * or remove a regular file. What only changes its mode or owner has no other content.
 */
export function comparableContents(entries: readonly DriftEntry[], facts: NodeFacts): ComparableContent[] {
  return entries.flatMap((entry) => {
    const { record, content, secrets } = entry.resource;
    const type = resourceType(record.type);
    const path = type.shownPath?.(record);
    if (path === undefined || secrets !== undefined || (type.secretRefs?.(record) ?? []).length > 0) return [];
    if (entry.finding.verb !== "write" && entry.finding.verb !== "remove") return [];
    const found = facts.paths.get(path)?.found ?? null;
    if (found !== null && found.type !== "file") return [];
    const declared = entry.finding.verb === "write" ? content : null;
    const modes = [
      ...(found === null ? [] : [found.mode]),
      ...(declared !== null && "mode" in record ? [String(record.mode)] : []),
    ];
    return {
      role: entry.role.name,
      resource: record.id,
      path,
      declared,
      onNode: found === null ? null : { size: found.size, sha256: found.sha256 },
      isPrivate: modes.some(isPrivate),
    };
  });
}

/** Neither its group nor anybody else may read it. */
function isPrivate(mode: string): boolean {
  return (Number.parseInt(mode, 8) & 0o044) === 0;
}
