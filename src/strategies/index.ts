import type { StrategyName } from "../model/rollout-event.ts";
import type { Strategy } from "./contract.ts";
import { safe } from "./safe.ts";
import { waves } from "./waves.ts";

/** The catalogue (STYLE): adding a strategy is one file and one line here, and its name in `model/rollout-event.ts`. */
const BY_NAME = { waves, safe } as const satisfies Record<StrategyName, Strategy>;

export const STRATEGIES: readonly Strategy[] = Object.values(BY_NAME);

export function strategy(name: StrategyName): Strategy {
  return BY_NAME[name];
}
