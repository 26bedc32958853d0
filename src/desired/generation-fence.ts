import type { Diagnostic } from "../kit/diagnostic.ts";
import type { FileContent } from "../model/file-content.ts";
import { positiveInteger } from "../model/scalar.ts";
import type { DesiredFiles } from "../ports.ts";
import { FLEET_FILE } from "./layout.ts";
import { problemAt } from "./problem-at.ts";
import { readYaml, type YamlSource } from "./yaml/read-yaml.ts";

export const STALE_GENERATION = "stale-generation";

/**
 * DESIGN §3.1: whatever differs from the base under roster/, host-roles/ or parcels/ needs a number greater than the
 * base's. Nothing is said when nothing differs, when the base has no number yet (the first pull request of a fleet), or
 * when the head's own number cannot be read (its own diagnostics say that).
 */
export function generationFence(base: DesiredFiles, head: DesiredFiles): readonly Diagnostic[] {
  const changed = changedPaths(base, head);
  const before = generationOf(base)?.generation ?? null;
  const now = generationOf(head);
  if (changed.length === 0 || before === null || now === null || now.generation > before) return [];
  return [
    problemAt(now.source, ["generation"], "value", {
      code: STALE_GENERATION,
      message: `${describe(changed)} changed against ${base.origin}, which has generation ${before}; this one has ${now.generation}`,
      hint: `Run: ${bumpCommand(now.generation, before)}`,
    }),
  ];
}

/** The one line that mends a stale number (DESIGN §3.1). */
export function bumpCommand(current: number, above: number): string {
  const floor = above > current ? ` --above ${above}` : "";
  return `rollcall generation bump --generation ${current}${floor}`;
}

/** Paths with other bytes, new or gone, sorted. Sizes are compared first: most files need no digest. */
export function changedPaths(base: DesiredFiles, head: DesiredFiles): readonly string[] {
  const paths = [...new Set([...base.paths, ...head.paths])].sort();
  return paths.filter((path) => {
    const [a, b] = [base.read(path), head.read(path)];
    return a === undefined || b === undefined || a.size !== b.size || a.sha256 !== b.sha256;
  });
}

/** The number alone, whatever else is wrong with fleet.yaml; null when there is none to be read. */
export function generationOf(files: DesiredFiles): { generation: number; source: YamlSource } | null {
  return generationIn(files.read(FLEET_FILE));
}

/** The same of a fleet.yaml on its own. */
export function generationIn(content: FileContent | undefined): { generation: number; source: YamlSource } | null {
  const source = content === undefined ? null : readYaml(FLEET_FILE, content).source;
  const parsed = positiveInteger.safeParse(source?.value.generation);
  return source !== null && parsed.success ? { generation: parsed.data, source } : null;
}

function describe(changed: readonly string[]): string {
  const [first = ""] = changed;
  return changed.length === 1 ? first : `${first} and ${changed.length - 1} more`;
}
