import type { Entry } from "../draft.ts";
import type { ProblemText } from "../problem-at.ts";
import { nearest } from "../schema/nearest.ts";
import type { NodeFile } from "../schema/node.ts";
import { at, type Rule } from "./rule.ts";

/** Each hop is a connection inside the one before it. */
const MAX_HOPS = 8;

/** A jump leads through other nodes that are still there, and never in a circle. */
export const jumps: Rule = ({ nodes, names }) => {
  const byName = new Map(nodes.map((entry) => [entry.stem, entry]));
  return nodes.flatMap((entry) => {
    if (entry.value.jump === null) return [];
    const problem = jumpProblem(entry, entry.value.jump, byName, names.nodes);
    return problem === null ? [] : at(entry, ["jump"], problem);
  });
};

function jumpProblem(
  entry: Entry<NodeFile>,
  jump: string,
  byName: ReadonlyMap<string, Entry<NodeFile>>,
  names: ReadonlySet<string>,
): ProblemText | null {
  if (!names.has(jump)) {
    const meant = nearest(jump, [...names]);
    const hint = meant === undefined ? "Name a node of roster/nodes/." : `Did you mean ${meant}?`;
    return { code: "unknown-jump", message: `there is no node ${jump} to jump through`, hint };
  }
  if (byName.get(jump)?.value.state === "retired" && entry.value.state === "active") {
    return { code: "retired-jump", message: `the node ${jump} is retired`, hint: "Name a node that is active." };
  }
  const trail = [entry.stem];
  for (let next: string | null = jump; next !== null; next = byName.get(next)?.value.jump ?? null) {
    const seen = trail.includes(next);
    trail.push(next);
    const way = trail.join(" → ");
    if (next === entry.stem) {
      return { code: "jump-cycle", message: `the jump leads in a circle: ${way}`, hint: "Reach one of them directly." };
    }
    // Into a circle of others: they are told.
    if (seen) return null;
    if (trail.length > MAX_HOPS + 1) {
      const message = `the way to this node has more than ${MAX_HOPS} hops: ${way} …`;
      return { code: "jump-too-long", message, hint: "Reach some of them directly." };
    }
  }
  return null;
}
