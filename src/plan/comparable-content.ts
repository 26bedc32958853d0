import type { FileContent } from "../model/file-content.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { Declared } from "../resources/contract.ts";
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
  /** Why nobody is shown it, in one line; null: nothing speaks against it so far. */
  readonly hidden: string | null;
}

/**
 * What `--diff` is about: items whose type shows its content ({@link ResourceType.shownPath}), hold no secret, and write
 * or remove a regular file. What only changes its mode or owner has no other content.
 */
export function comparableContents(entries: readonly DriftEntry[], facts: NodeFacts): ComparableContent[] {
  const before = pathsOfHiddenTypes(facts);
  return entries.flatMap(({ role, resource, finding }) => {
    const path = shownPath(resource);
    if (path === undefined || (finding.verb !== "write" && finding.verb !== "remove")) return [];
    const found = facts.paths.get(path)?.found ?? null;
    if (found !== null && found.type !== "file") return [];
    const declared = finding.verb === "write" ? resource.content : null;
    return {
      role: role.name,
      resource: resource.record.id,
      path,
      declared,
      onNode: found === null ? null : { size: found.size, sha256: found.sha256 },
      hidden: before.has(path) ? LEFT_BEHIND : hiddenByMode(found?.mode, declared === null ? undefined : resource),
    };
  });
}

function shownPath({ record, secrets }: Declared): string | undefined {
  const type = resourceType(record.type);
  const holdsSecrets = secrets !== undefined || (type.secretRefs?.(record) ?? []).length > 0;
  return holdsSecrets ? undefined : type.shownPath?.(record);
}

const LEFT_BEHIND = "what stands there came from a type that can hold secrets";

/** Where this node got an environment file before, and now is to get something else. */
function pathsOfHiddenTypes({ owned }: NodeFacts): ReadonlySet<string> {
  const hidden = owned.resources.filter(({ type }) => resourceType(type).shownPath === undefined);
  return new Set(hidden.flatMap(({ removal }) => removal?.path ?? []));
}

/** As it is with keys and passwords: neither its group nor anybody else may read the one or the other. */
function hiddenByMode(onNode: string | undefined, declared: Declared | undefined): string | null {
  const modes = [
    onNode,
    declared !== undefined && "mode" in declared.record ? String(declared.record.mode) : undefined,
  ];
  const isPrivate = modes.some((mode) => mode !== undefined && (Number.parseInt(mode, 8) & 0o044) === 0);
  return isPrivate ? "only its owner may read it" : null;
}
