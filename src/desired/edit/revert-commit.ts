import { sameBytes } from "../../kit/same-bytes.ts";
import type { FileContent } from "../../model/file-content.ts";
import type { DesiredFiles, FileWrite, MergeTexts } from "../../ports.ts";
import { changedPaths } from "../generation-fence.ts";
import { FLEET_FILE, fileKind } from "../layout.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { setScalar } from "./yaml-text.ts";

/** What it takes to undo one commit on top of what stands now. */
export interface Undoing {
  /** As they were before the commit; the numbers that only ever rise (`generation`, a role's `version`) are as they stand now. */
  readonly writes: readonly FileWrite[];
  /** Changed again since: to be merged line by line. */
  readonly merges: readonly ({ readonly path: string } & MergeTexts)[];
  readonly conflicts: readonly RevertConflict[];
  /** The commit changed no desired file. */
  readonly empty: boolean;
}

export interface RevertConflict {
  readonly path: string;
  readonly why: string;
}

/** `before` and `after`: the desired files of the commit's first parent and of the commit (DESIGN §3.1). Pure. */
export function undoing(before: DesiredFiles, after: DesiredFiles, now: DesiredFiles): Undoing {
  const changed = changedPaths(before, after);
  const writes: FileWrite[] = [];
  const merges: ({ path: string } & MergeTexts)[] = [];
  const conflicts: RevertConflict[] = [];
  for (const path of changed) {
    const [old, base, ours] = levelled(path, [before.read(path), after.read(path), now.read(path)]);
    const why = neverBack(path, old);
    if (why !== null) conflicts.push({ path, why });
    else if (same(ours, old)) continue;
    else if (same(ours, base)) writes.push({ path, text: old });
    else if (old === null || base === null || ours === null) conflicts.push({ path, why: goneWhy(ours) });
    else merges.push({ path, base, ours, theirs: old });
  }
  return { writes, merges, conflicts, empty: changed.length === 0 };
}

function neverBack(path: string, old: Uint8Array | null): string | null {
  if (path.startsWith("parcels/")) return "a parcel stays on the record; name it under withdrawn: in roster/fleet.yaml";
  return path === FLEET_FILE && old === null ? "without it there is no fleet" : null;
}

function goneWhy(ours: Uint8Array | null): string {
  return ours === null ? "it has been removed since" : "it was new then, or removed, and has been changed since";
}

type Bytes = Uint8Array | null;

/** The three contents of a file, with the numbers that every change raises made equal, so that they are no difference. */
function levelled(path: string, contents: readonly (FileContent | undefined)[]): [Bytes, Bytes, Bytes] {
  const [old = null, base = null, ours = null] = contents.map((content) => content?.bytes() ?? null);
  const kind = fileKind(path).kind;
  const key = kind === "fleet" ? "generation" : kind === "role" ? "version" : null;
  const number = key === null || ours === null ? null : numberOf(path, key, contents[2]);
  if (key === null || number === null) return [old, base, ours];
  return [withNumber(old, key, number), withNumber(base, key, number), ours];
}

function numberOf(path: string, key: string, content: FileContent | undefined): string | null {
  const value = content === undefined ? undefined : readYaml(path, content).source?.value[key];
  return typeof value === "string" ? value : null;
}

function withNumber(bytes: Bytes, key: string, number: string): Bytes {
  if (bytes === null) return null;
  const text = setScalar(new TextDecoder().decode(bytes), key, number, []);
  return text === null ? bytes : new TextEncoder().encode(text);
}

function same(a: Bytes, b: Bytes): boolean {
  return a === null || b === null ? a === b : sameBytes(a, b);
}
