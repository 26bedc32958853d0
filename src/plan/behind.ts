import type { Node } from "../desired/desired-state.ts";
import type { Heartbeat } from "../model/node-record.ts";
import type { Cell } from "./cell.ts";
import type { DownStanding } from "./down-verdict.ts";
import type { ProofStanding } from "./proof-standing.ts";
import type { LogDamage } from "./record-damage.ts";
import type { RecordedItem } from "./recorded-items.ts";
import type { Rollout } from "./rollout.ts";
import type { Unit, UnitTarget } from "./unit.ts";

export type PendingCause = Pick<Extract<Cell, { state: "pending" }>, "reason" | "since" | "detail" | "hint">;

/** All that is known of a target that is behind. */
export interface Behind {
  readonly unit: Unit;
  readonly target: UnitTarget;
  readonly node: Node;
  readonly proof: Exclude<ProofStanding, { kind: "valid" }>;
  readonly heartbeat: Heartbeat | undefined;
  readonly down: DownStanding;
  readonly rollout: Rollout | null;
  readonly damage: LogDamage | null;
  /** What the node proved cannot be read. */
  readonly illegible: boolean;
  /** What differed when it was last read; null: it was not read since it is asked for as it is. */
  readonly compared: readonly RecordedItem[] | null;
  readonly now: Date;
  readonly staleMs: number;
  readonly heal: boolean;
  readonly generation: number;
}
