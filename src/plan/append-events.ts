import { rolloutFolder, segmentPath } from "../model/observed-layout.ts";
import type { NewRolloutEvent, RolloutEvent } from "../model/rollout-event.ts";
import type { ObservedFiles, ObservedWrites } from "../ports.ts";
import { eventLines } from "./record-files.ts";

/**
 * What puts `events` after all that the rollout's log holds in `files`, in the segment of this run (DESIGN §4). To be called
 * inside `ObservedStore.record`, so that a lost race gives them new places; nothing is written without events.
 */
export function appendEvents(
  files: ObservedFiles,
  unit: string,
  digest: string,
  runId: string,
  events: readonly NewRolloutEvent[],
): ObservedWrites {
  if (events.length === 0) return new Map();
  const path = segmentPath(unit, digest, runId);
  const first = lastPlace(files, unit, digest) + 1;
  const placed = events.map((event, index): RolloutEvent => ({ ...event, seq: first + index }));
  const before = files.paths.includes(path) ? (files.read(path) ?? "") : "";
  const ended = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  return new Map([[path, ended + eventLines(placed)]]);
}

/**
 * The highest place taken. It is looked for in the text, so that a line of a newer version, which cannot be read here, keeps
 * its place too; and a line that names none takes one all the same.
 */
function lastPlace(files: ObservedFiles, unit: string, digest: string): number {
  let highest = 0;
  let lines = 0;
  for (const path of segmentsOf(files, unit, digest)) {
    const text = files.read(path) ?? "";
    for (const [, place] of text.matchAll(PLACE)) highest = Math.max(highest, Number(place));
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  }
  return Math.max(highest, lines);
}

/** Inside a text of the line its quotes would be escaped. More digits than these no log reaches. */
const PLACE = /"seq":([0-9]{1,12})(?![0-9])/g;

function segmentsOf(files: ObservedFiles, unit: string, digest: string): readonly string[] {
  const folder = `${rolloutFolder(unit, digest)}/`;
  return files.paths.filter((path) => path.startsWith(folder) && path.endsWith(".jsonl"));
}
