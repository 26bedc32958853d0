import { type Rollout, TERMINAL } from "../plan/rollout.ts";
import { rolloutDocument } from "../plan/rollout-document.ts";
import { waitsFor, waysOn } from "../plan/rollout-ways.ts";
import { renderRolloutNodes, renderRolloutStatus } from "../render/rollout.ts";
import { type RolloutLine, renderRolloutList } from "../render/rollout-list.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import {
  chosenRollout,
  isCurrent,
  isRefusal,
  namedUnit,
  type RolloutDoors,
  type RolloutView,
  readRollouts,
} from "./rollout-view.ts";

/**
 * `rollout list [--all]`: a line for each rollout that main asks for or that has not ended; with `all` also what is history.
 * 0 (DESIGN §5).
 */
export async function runRolloutList(doors: RolloutDoors, { all }: { readonly all: boolean }): Promise<CommandResult> {
  const view = await readRollouts(doors);
  const lines = view.rollouts.map((rollout) => lineOf(rollout, view)).sort(currentFirst);
  const shown = all ? lines : lines.filter(({ current, ended }) => current !== false || !ended);
  const document = {
    rollouts: shown.map(({ ended: _, ...line }) => line),
    left_out: lines.length - shown.length,
    damaged: view.damaged,
  };
  return {
    exitCode: EXIT.ok,
    document,
    text: (paint) => renderRolloutList(shown, { leftOut: document.left_out, damaged: view.damaged }, paint),
  };
}

function lineOf(rollout: Rollout, { wanted }: RolloutView): RolloutLine {
  const { id, unit, digest, round, state, reason, wave, waves, generation } = rollout;
  const nodes = [...rollout.nodes.values()];
  return {
    ...{ id, unit, digest, current: isCurrent(rollout, wanted), ended: TERMINAL.has(state) },
    ...{ round, state, reason, generation, wave, waves: waves.length },
    targets: nodes.length,
    applied: nodes.filter((node) => node.state === "succeeded").length,
    created_at: rollout.createdAt,
    last_at: rollout.lastAt,
  };
}

function currentFirst(a: RolloutLine, b: RolloutLine): number {
  if (a.unit !== b.unit) return a.unit < b.unit ? -1 : 1;
  const rank = ({ current, ended }: RolloutLine) => (current ? 0 : ended ? 2 : 1);
  return rank(a) - rank(b) || Date.parse(b.created_at) - Date.parse(a.created_at) || (a.id < b.id ? -1 : 1);
}

/** `rollout get UNIT`: the folded state as a document (`schemas/rollout.v1.json`). 0 · 1 no rollout yet · 2 unknown. */
export async function runRolloutGet(doors: RolloutDoors, written: string): Promise<CommandResult> {
  return ofOne(doors, written, (rollout, view) => {
    const document = rolloutDocument(rollout, isCurrent(rollout, view.wanted));
    return { exitCode: EXIT.ok, document, text: () => `${JSON.stringify(document, null, 2)}\n` };
  });
}

/** `rollout status UNIT`: where it stands, what it waits for, what to type next. 0 · 1 it stands still · 2 unknown. */
export async function runRolloutStatus(doors: RolloutDoors, written: string): Promise<CommandResult> {
  return ofOne(doors, written, (rollout, view) => {
    const current = isCurrent(rollout, view.wanted);
    const waits = waitsFor(rollout);
    const ways = waysOn(rollout);
    return {
      exitCode: STANDING_STILL.has(rollout.state) ? EXIT.failed : EXIT.ok,
      document: { rollout: rolloutDocument(rollout, current), waits_for: waits, next: ways },
      text: (paint) => renderRolloutStatus(rollout, { current, waits, ways, damaged: view.damaged }, paint),
    };
  });
}

const STANDING_STILL: ReadonlySet<Rollout["state"]> = new Set(["paused", "failed", "canceled", "rolled_back"]);

/** `rollout nodes UNIT`: a line for each node, in wave order, and who was left out before waves were formed. 0 · 1 · 2. */
export async function runRolloutNodes(doors: RolloutDoors, written: string): Promise<CommandResult> {
  return ofOne(doors, written, (rollout, view) => {
    const { id, state, wave, nodes, left_out } = rolloutDocument(rollout, isCurrent(rollout, view.wanted));
    return {
      exitCode: EXIT.ok,
      document: { id, state, wave, nodes, left_out },
      text: (paint) => renderRolloutNodes(rollout, paint),
    };
  });
}

async function ofOne(
  doors: RolloutDoors,
  written: string,
  answer: (rollout: Rollout, view: RolloutView) => CommandResult,
): Promise<CommandResult> {
  const view = await readRollouts(doors);
  const named = namedUnit(written, view);
  if (isRefusal(named)) return refused(named, EXIT.refused);
  const rollout = chosenRollout(named, view.rollouts, view.wanted);
  if (rollout === null) return refused(noRollout(named.unit), EXIT.failed);
  return isRefusal(rollout) ? refused(rollout, EXIT.refused) : answer(rollout, view);
}

export function noRollout(unit: string) {
  const hint = "the next reconcile begins what is due: rollcall reconcile";
  return { code: "no-rollout", message: `${unit} has no rollout yet`, hint };
}
