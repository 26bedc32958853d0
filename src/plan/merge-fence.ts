import { bumpCommand, generationIn, STALE_GENERATION } from "../desired/generation-fence.ts";
import type { Reconciled } from "../model/node-record.ts";
import type { Lineage } from "../ports.ts";

/** Why a merge is not carried out: before any node is touched, exit 2 (DESIGN §3.1). */
export interface MergeRefusal {
  /**
   * `not-descending`: main has been rewritten. `shallow-clone`: git cannot tell. `record-damaged`: what was last reconciled
   * cannot be read. `record-newer`: a newer rollcall keeps the record.
   */
  readonly code: typeof STALE_GENERATION | "not-descending" | "shallow-clone" | "record-damaged" | "record-newer";
  readonly message: string;
  /** The one line that mends it. */
  readonly hint: string;
}

/**
 * DESIGN §3.1 "Merge". `head`: the commit that is to be carried out and the number that its fleet.yaml has. `recorded`: what
 * was last begun; null: nothing was yet. The same content once more, as a scheduled run has it, is no merge.
 */
export function mergeFence(
  lineage: Lineage,
  head: { readonly generation: number; readonly commit: string },
  recorded: Reconciled | null,
): MergeRefusal | null {
  if (lineage.shallow)
    return {
      code: "shallow-clone",
      message: `this clone lacks the history between ${short(head.commit)} and what was last reconciled`,
      hint: "Run: git fetch --unshallow   (in a workflow: fetch-depth: 0)",
    };
  if (recorded !== null && !lineage.descends)
    return {
      code: "not-descending",
      message: `${short(head.commit)} does not descend from ${short(recorded.commit)}, which was last reconciled`,
      hint: `Run: git merge ${recorded.commit}`,
    };
  if (recorded !== null && lineage.same) return null;
  return staleness(lineage.newest, head, recorded);
}

function staleness(
  newest: Lineage["newest"],
  head: { readonly generation: number },
  recorded: Reconciled | null,
): MergeRefusal | null {
  const before = generationIn(newest?.parentFleetFile)?.generation ?? 0;
  // What its own file says there is what head's says, unless that file could not be read then.
  const after = generationIn(newest?.fleetFile)?.generation ?? head.generation;
  const above = Math.max(before, recorded?.generation ?? 0);
  const stale = (message: string): MergeRefusal => ({
    code: STALE_GENERATION,
    message,
    hint: `Run: ${bumpCommand(head.generation, above)}`,
  });
  if (newest !== null && after <= before)
    return stale(`${short(newest.commit)} changed desired files and left the generation at ${after}, after ${before}`);
  if (recorded !== null && head.generation <= recorded.generation)
    return stale(`generation ${head.generation} is not above ${recorded.generation}, which was last reconciled`);
  return null;
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
