import type { Cell } from "./cell.ts";
import type { DueTarget } from "./due-targets.ts";
import type { AskedNodes, RefusedNode, UnitNext } from "./fleet-plan.ts";
import type { Rollout, RolloutNodeState } from "./rollout.ts";

/** What the nodes that were asked for come to, of a unit that would otherwise go on as `next` says (DESIGN §5: waves are respected). */
export function askedOf(
  next: UnitNext,
  nodes: ReadonlySet<string>,
  unit: { readonly rollout: Rollout | null; readonly due: readonly DueTarget[]; readonly cells: readonly Cell[] },
): AskedNodes {
  const down = new Set(unit.due.flatMap(({ candidate }) => (candidate.down ? [candidate.node] : [])));
  if (next.kind === "start") return split(next.waves, 0, nodes, { down, isOpen: () => true });
  if (next.kind !== "continue" || unit.rollout === null) return { attempt: [], refused: [] };
  const { rollout } = unit;
  const state = (node: string): RolloutNodeState | undefined => rollout.nodes.get(node)?.state;
  const inTurn = split(rollout.waves, rollout.wave, nodes, { down, isOpen: (node) => OPEN.has(state(node)) });
  const late = unit.due
    .map(({ candidate }) => candidate.node)
    .filter((node) => nodes.has(node) && state(node) === undefined);
  return { attempt: inTurn.attempt, refused: [...inTurn.refused, ...late.map(came)].sort(byNode) };
}

/** Of a rollout that goes on: not through yet. What failed there needs a word first. */
const OPEN: ReadonlySet<RolloutNodeState | undefined> = new Set(["pending", "in_progress", "validating"]);

function split(
  waves: readonly (readonly string[])[],
  turn: number,
  nodes: ReadonlySet<string>,
  { down, isOpen }: { readonly down: ReadonlySet<string>; readonly isOpen: (node: string) => boolean },
): AskedNodes {
  const attempt: string[] = [];
  const refused: RefusedNode[] = [];
  const first = (waves[turn] ?? []).filter(isOpen);
  for (const [wave, members] of waves.entries()) {
    for (const node of members) {
      if (!nodes.has(node) || !isOpen(node)) continue;
      if (down.has(node)) refused.push({ node, wave: null, why: "a down verdict stands: it is not attempted" });
      else if (wave === turn) attempt.push(node);
      else if (wave > turn) refused.push({ node, wave, why: notYet(wave, turn, first, waves.length) });
    }
  }
  return { attempt: attempt.sort(), refused: refused.sort(byNode) };
}

function notYet(wave: number, turn: number, first: readonly string[], waves: number): string {
  const names = first.length > 3 ? `${first.slice(0, 3).join(", ")} and ${first.length - 3} more` : first.join(", ");
  const who = turn === 0 ? `the canary ${names}` : names;
  return `it is in wave ${wave + 1} of ${waves}, and wave ${turn + 1} is not through: ${who} must prove it first`;
}

function came(node: string): RefusedNode {
  return {
    node,
    wave: null,
    why: "it came after the waves of the running rollout were formed, and follows when that is through",
  };
}

function byNode(a: RefusedNode, b: RefusedNode): number {
  return a.node < b.node ? -1 : a.node > b.node ? 1 : 0;
}
