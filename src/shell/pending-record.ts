import type { PendingRecord } from "../model/node-facts.ts";
import { type UnitName, unitKey } from "../model/node-question.ts";

/**
 * The record that a restart or reload of a unit is due (DESIGN §3.2): one file a unit in `$rc_state/pending`, one line of
 * ASCII JSON. `rc_store "$(pendingFile)" "$(pendingLine)"` writes it, removing the file clears it.
 */

/** The record's file relative to `$rc_state`. `+` occurs neither in a login nor in a unit's name, so that no two units meet. */
export function pendingFile(unit: UnitName): string {
  return `pending/${unit.user ?? ""}+${unit.name}`;
}

export function pendingLine(unit: UnitName, record: PendingRecord): string {
  const json = JSON.stringify({ unit: unit.name, user: unit.user, how: record.how, because: record.because });
  return json.replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Reads the lines of all records, keyed by `unitKey`. What is not a record of ours is left out. */
export function parsePending(lines: readonly string[]): ReadonlyMap<string, PendingRecord> {
  const records = new Map<string, PendingRecord>();
  for (const line of lines) {
    const value = parseJson(line);
    if (typeof value !== "object" || value === null) continue;
    const { unit, user, how, because } = value as Record<string, unknown>;
    if (typeof unit !== "string" || (user !== null && typeof user !== "string")) continue;
    if (how !== "restart" && how !== "reload") continue;
    if (!Array.isArray(because) || !because.every((id) => typeof id === "string")) continue;
    records.set(unitKey({ name: unit, user }), { how, because });
  }
  return records;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
