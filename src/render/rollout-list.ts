import type { Rollout } from "../plan/rollout.ts";
import { columns } from "./columns.ts";
import { shownMoment } from "./moment.ts";
import type { Paint } from "./paint.ts";
import { stateWord } from "./rollout.ts";
import { visible } from "./visible.ts";

/** One rollout in a list; keys as `rollout list --json` prints them. */
export interface RolloutLine {
  readonly id: string;
  readonly unit: string;
  readonly digest: string;
  /** Main asks for this digest; null: nobody knows. */
  readonly current: boolean | null;
  readonly ended: boolean;
  readonly round: number;
  readonly state: Rollout["state"];
  readonly reason: Rollout["reason"];
  readonly generation: number;
  readonly wave: number;
  readonly waves: number;
  readonly targets: number;
  readonly applied: number;
  readonly created_at: string;
  readonly last_at: string;
}

/** A line each, and what is not shown. */
export function renderRolloutList(
  lines: readonly RolloutLine[],
  { leftOut, damaged }: { readonly leftOut: number; readonly damaged: readonly string[] },
  paint: Paint,
): string {
  const rows = columns(
    lines.map((line) => [
      line.id,
      stateWord(line, paint),
      `${line.applied}/${line.targets} applied`,
      line.ended
        ? `round ${line.round}`
        : `wave ${Math.min(line.wave + 1, line.waves)} of ${line.waves}, round ${line.round}`,
      `${shownMoment(line.last_at)}${line.current === false ? paint.dim(" · not what main asks for") : ""}`,
    ]),
  );
  const hidden = leftOut === 1 ? "1 older rollout; --all shows it" : `${leftOut} older rollouts; --all shows them`;
  const none = lines.length === 0 ? ["no rollout yet: rollcall reconcile begins what is due"] : [];
  return [
    ...(rows.length > 0 ? rows : none),
    ...(leftOut > 0 ? [paint.dim(hidden)] : []),
    ...damaged.map((one) => `${paint.red("damaged")} ${visible(one)}`),
    "",
  ].join("\n");
}
