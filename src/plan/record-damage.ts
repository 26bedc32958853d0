import { FLEET_RECORD, nodeStatePath } from "../model/observed-layout.ts";
import type { MergeRefusal } from "./merge-fence.ts";
import type { ObservedRecord } from "./observed-record.ts";
import { rolloutOfSegment } from "./read-segments.ts";

/**
 * What a damaged file of the record comes to. Most count as absent and are written anew; where that would take a brake off
 * (the generation's fence, a rollout that was paused or canceled), whatever depends on it stands still instead.
 */

/**
 * Whether what was last reconciled cannot be read, so that nobody can tell whether a merge is stale (DESIGN §3.1); or a newer
 * rollcall keeps this record, whose proofs an older one would write over.
 */
export function fenceDamage({ damaged }: Pick<ObservedRecord, "damaged">, branch: string): MergeRefusal | null {
  const newer = damaged.find((file) => file.newer === true);
  if (newer !== undefined)
    return {
      code: "record-newer",
      message: `${newer.path} on ${branch}: ${newer.message}`,
      hint: "use the newest rollcall everywhere that writes this record",
    };
  const damage = damaged.find(({ path }) => path === FLEET_RECORD);
  if (damage === undefined) return null;
  return {
    code: "record-damaged",
    message: `${FLEET_RECORD} on ${branch}, which says what was last reconciled, cannot be read: ${damage.message}`,
    hint: damageHint(FLEET_RECORD, branch),
  };
}

/** Why a rollout stands still until somebody has mended its log, and where to look. */
export interface LogDamage {
  readonly detail: string;
  readonly hint: string;
}

/**
 * Rollouts whose event log cannot be read as a whole, by id: what is missing may be that somebody paused or canceled them. The
 * first file and line is named.
 */
export function damagedLogs({ damaged }: ObservedRecord, branch: string): ReadonlyMap<string, LogDamage> {
  const logs = new Map<string, LogDamage>();
  for (const { path, message } of damaged) {
    const id = rolloutOfSegment(path);
    if (id === null || logs.has(id)) continue;
    const detail = `its log is damaged: ${path} ${message}; mend it on ${branch}, or merge another change of it`;
    logs.set(id, { detail, hint: `git log -p ${branch} -- ${path}` });
  }
  return logs;
}

/** What the node proved cannot be read: it is due again. */
export function isStateDamaged(node: string, { states, damaged }: ObservedRecord): boolean {
  if (damaged.length === 0 || states.has(node)) return false;
  const own = nodeStatePath(node);
  return damaged.some(({ path }) => path === own);
}

/** What becomes of it, or what to do about it. `branch`: the observed branch. */
export function damageHint(path: string, branch: string): string {
  const mend = `put back by a commit on ${branch} what it said (git log -p ${branch} -- ${path})`;
  if (path === FLEET_RECORD) return `nothing is reconciled until somebody mends it: ${mend}`;
  if (rolloutOfSegment(path) !== null) return `${mend}, or merge another change of it, which begins anew`;
  if (/\/state\.json$/.test(path)) return "what the node proved counts as absent: it proves all of it again";
  return "it counts as absent; the next run writes it anew";
}
