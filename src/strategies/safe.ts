import type { Strategy } from "./contract.ts";
import { downLast, names } from "./standing.ts";
import { nobodyLeft } from "./wave-gate.ts";

/**
 * `safe` (DESIGN §3.4): one wave. For changes whose author says on the record that they are harmless, and for nodes that join
 * or are healed with what others have proved already.
 */
export const safe: Strategy = {
  name: "safe",
  summary: "one wave, no canary: for what is harmless, or proved elsewhere",
  waves: (candidates) => ({
    waves: [names(downLast(candidates))],
    reasons: {
      canary: `no canary: ${candidates.length === 1 ? "the one node" : `all ${candidates.length} nodes`} in one wave`,
      second_look: { missing: false, why: "one wave has no second look" },
      warnings: [],
    },
  }),
  gate: nobodyLeft,
};
