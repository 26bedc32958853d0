import type { UnitPlan } from "./fleet-plan.ts";

/**
 * Nodes that the next run attempts for a unit, wave by wave: those still to come of a rollout that goes on. Nodes that are known
 * to be down have their place in the waves and are not attempted (DESIGN §3.4). Empty waves are left out.
 */
export function attemptsOf({ next, rollout, cells }: UnitPlan): readonly (readonly string[])[] {
  const down = new Set(
    cells.flatMap((cell) => (cell.state === "pending" && cell.reason === "down" ? [cell.node] : [])),
  );
  const wavesOf = (waves: readonly (readonly string[])[], isOpen: (node: string) => boolean): string[][] =>
    waves.map((wave) => wave.filter((node) => !down.has(node) && isOpen(node))).filter((wave) => wave.length > 0);
  if (next.kind === "start") return wavesOf(next.waves, () => true);
  if (next.kind !== "continue" || rollout === null) return [];
  return wavesOf(rollout.waves.slice(rollout.wave), (node) => {
    const state = rollout.nodes.get(node)?.state;
    return state !== "succeeded" && state !== "skipped" && state !== "failed";
  });
}
