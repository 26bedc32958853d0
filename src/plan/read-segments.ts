import { type RolloutEvent, rolloutEventSchema } from "../model/rollout-event.ts";
import { unitId } from "../model/scalar.ts";
import { rolloutId } from "../model/unit.ts";
import type { ObservedFiles } from "../ports.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { madeOf, type ReadBefore } from "./read-before.ts";
import { faultOf } from "./schema-fault.ts";

const SEGMENT = /^rollouts\/(role|parcel|agent)\/([^/]+)\/([0-9a-f]{12})\/[^/]+\.jsonl$/;

/**
 * Event logs by rollout id, the segments of all runs merged in the order of `seq` (DESIGN §3.4). Of a damaged segment the
 * lines that can be read stay: to lose that a rollout was paused or canceled would set it going.
 */
export function readSegments(
  observed: ObservedFiles,
  damaged: ObservedRecord["damaged"][number][],
  before: ReadBefore = new Map(),
): Map<string, readonly RolloutEvent[]> {
  const logs = new Map<string, RolloutEvent[]>();
  // Sorted, so that two events which claim one place stand in the same order whoever lists the files.
  for (const path of [...observed.paths].sort()) {
    const id = rolloutOfSegment(path);
    if (id === null) continue;
    const log = logs.get(id) ?? [];
    logs.set(id, log);
    const segment = madeOf(before, path, observed.read(path), (text) => segmentOf(text, id));
    for (const event of segment.events) log.push(event);
    for (const message of segment.faults) damaged.push({ path, message });
  }
  for (const log of logs.values()) log.sort((a, b) => a.seq - b.seq);
  return logs;
}

/** Id of the rollout whose log the file is a part of; null: it is no such file. */
export function rolloutOfSegment(path: string): string | null {
  const [, kind, name, digest12] = SEGMENT.exec(path) ?? [];
  const unit = `${kind}:${name}`;
  return digest12 === undefined || !unitId.safeParse(unit).success ? null : rolloutId(unit, digest12);
}

interface Segment {
  readonly events: readonly RolloutEvent[];
  readonly faults: readonly string[];
}

function segmentOf(text: string | undefined, id: string): Segment {
  if (text === undefined) return { events: [], faults: ["it cannot be read"] };
  const lines = text.split("\n");
  const read = (lines.at(-1) === "" ? lines.slice(0, -1) : lines).map((line) => readEvent(line, id));
  return {
    events: read.filter((one) => typeof one !== "string"),
    faults: read.flatMap((one, index) => (typeof one === "string" ? [`line ${index + 1}: ${one}`] : [])),
  };
}

/** The event, or what is wrong with its line. */
function readEvent(line: string, id: string): RolloutEvent | string {
  let written: unknown;
  try {
    written = JSON.parse(line);
  } catch {
    return "it is not JSON";
  }
  const parsed = rolloutEventSchema.safeParse(written);
  if (!parsed.success) return faultOf(parsed.error);
  // The schema adds what all events share, which its type cannot say.
  const event = parsed.data as RolloutEvent;
  if (event.event === "created" && rolloutId(event.unit, event.digest) !== id) return "it begins another rollout";
  return event;
}
