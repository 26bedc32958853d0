import { rolloutId } from "../model/unit.ts";
import type { OwnerlessRollout, UnitPlan } from "../plan/fleet-plan.ts";
import type { Ledger } from "./ledger.ts";

/** Ends the rollouts that this one takes the place of (DESIGN §3.4); one that must wait ends nothing yet. */
export function endSuperseded({ unit, next, supersedes }: UnitPlan, ledger: Ledger): void {
  if (next.kind === "waiting") return;
  const own = rolloutId(unit.id, unit.digest);
  for (const { id } of supersedes) {
    const created = ledger.record.rollouts.get(id)?.find((event) => event.event === "created");
    if (created?.event !== "created") continue;
    const by = id === own ? `${own}: its nodes are to be something else by now` : own;
    ledger.append(created.unit, created.digest, { event: "superseded", by });
  }
}

/** Ends what nobody asks for any more, so that its log does not stay open for ever. */
export function endOwnerless(rollouts: readonly OwnerlessRollout[], ledger: Ledger): void {
  for (const { unit, digest } of rollouts)
    ledger.append(unit, digest, { event: "superseded", by: `${unit} left desired state` });
}
