import { FLEET_RECORD } from "../model/observed-layout.ts";
import type { PlanFinding } from "../model/plan-document.ts";
import { type MergeRefusal, mergeFence } from "../plan/merge-fence.ts";
import { fenceDamage } from "../plan/record-damage.ts";
import type { Repository } from "../ports.ts";
import type { Planned } from "./plan-document-of.ts";

/**
 * The plan of what is on the main branch already, with what the next merge run would say to it (DESIGN §3.1): it refuses
 * content that is newer than what it last carried out, and has no number of its own. What is not merged is fenced by
 * `--base`; files that are not committed, an older commit and another branch are no merge.
 */
export async function fencedPlan(planned: Planned, repository: Pick<Repository, "lineage">): Promise<Planned> {
  const { document, made } = planned;
  const { commit } = document.head;
  if (made === null || commit === null || !made.standing.merged) return planned;
  const { reconciled } = made.input.record;
  const damage = fenceDamage(made.input.record, made.state.fleet.observedBranch);
  if (damage !== null) return blocked(planned, damage, FLEET_RECORD);
  const lineage = await repository.lineage(commit, reconciled?.commit ?? null);
  // An older checkout of main is no merge; main's own tip that does not descend has been rewritten.
  if (!lineage.descends && !lineage.shallow && made.standing.behind) return planned;
  const refusal = mergeFence(lineage, { generation: made.state.fleet.generation, commit }, reconciled);
  if (refusal === null) return planned;
  if (refusal.code !== "shallow-clone") return blocked(planned, refusal, "roster/fleet.yaml");
  // A clone without its history cannot tell; the one that reconciles may well have it.
  const finding: PlanFinding = { ...refusal, file: null, line: null };
  return { document: { ...document, warnings: [...document.warnings, finding] }, made };
}

function blocked({ document, made }: Planned, refusal: MergeRefusal, file: string): Planned {
  return { document: { ...document, blocks: [...document.blocks, { ...refusal, file, line: null }] }, made };
}
