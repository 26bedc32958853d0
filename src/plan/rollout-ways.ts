import { strategy } from "../strategies/index.ts";
import { standingWave } from "./fold-rollout-draft.ts";
import { signalAnswer } from "./fold-rollout-signal.ts";
import { type Rollout, type RolloutNodeState, TERMINAL, type WantedSignal } from "./rollout.ts";

/** One thing that an operator can do about a rollout now. */
export interface Way {
  readonly command: string;
  /** What it comes to, in a few words. */
  readonly effect: string;
}

/** What a rollout waits for, in one line; null: for nothing, it is over. */
export function waitsFor(rollout: Rollout): string | null {
  const { state, reason, restartRequested } = rollout;
  if (restartRequested) return "the next run, which begins a new round";
  if (state === "pending" || state === "running") return waitsForNodes(rollout);
  if (state !== "paused") return TERMINAL.has(state) && needsWord(rollout) ? "an operator's word" : null;
  const gate = strategy(rollout.strategy).gate(wavesSoFar(rollout), "wave");
  const why = reason?.code === "signal" || gate.open ? (reason?.detail ?? "") : gate.why;
  return `an operator's word${why === "" ? "" : `: ${why}`}`;
}

function waitsForNodes(rollout: Rollout): string {
  const wave = standingWave(rollout);
  const atWork = namesIn(rollout, wave, "in_progress");
  if (atWork.length > 0) return `wave ${wave + 1}: ${some(atWork)} at work`;
  const open = namesIn(rollout, wave, "pending");
  return open.length > 0 ? `wave ${wave + 1}: ${some(open)} still to come` : `the verdict on wave ${wave + 1}`;
}

function needsWord({ state }: Rollout): boolean {
  return state === "failed" || state === "canceled" || state === "rolled_back";
}

/** What is allowed now and of use, the most likely first. Asked of the reducer itself, so that none of it is refused. */
export function waysOn(rollout: Rollout): readonly Way[] {
  const { unit, state, reason } = rollout;
  if (rollout.restartRequested) return [];
  const failed = [...rollout.nodes.values()].filter((node) => node.state === "failed").map(({ node }) => node);
  const command = (words: string) => `rollcall rollout ${words}`;
  const why = '--reason "…"';
  const said: readonly (Way & WantedSignal)[] = [
    way("retry", command(`retry ${unit}`), "what failed is tried again"),
    way("resume", command(`resume ${unit}`), "it goes on, and what failed in this wave is tried again"),
    {
      ...way("resume", command(`resume ${unit} --accept-already-true ${why}`), "what was already true counts"),
      acceptAlreadyTrue: true,
    },
    {
      ...way("skip", command(`skip ${unit} ${failed.slice(0, 5).join(" ")} ${why}`), "goes on without it"),
      nodes: failed,
    },
    way("force", command(`force ${unit} ${why}`), "the gate opens without proof"),
    way("pause", command(`pause ${unit}`), "no further wave begins"),
    way("cancel", command(`cancel ${unit}`), "it ends here; what is done stays done"),
  ];
  const useful = said.filter((one) => {
    if (one.signal === "resume" && !one.acceptAlreadyTrue && reason?.code === "inconclusive") return false;
    return signalAnswer(rollout, one).allowed;
  });
  const again: Way = { command: command(`start ${unit}`), effect: "a new round with all that is due" };
  return [...useful.map(({ command, effect }) => ({ command, effect })), ...(mayStart(state) ? [again] : [])];
}

function way(signal: WantedSignal["signal"], command: string, effect: string): Way & WantedSignal {
  return { signal, nodes: [], acceptAlreadyTrue: false, command, effect };
}

function mayStart(state: Rollout["state"]): boolean {
  return state === "failed" || state === "canceled" || state === "rolled_back";
}

function wavesSoFar(rollout: Rollout) {
  const until = standingWave(rollout) + 1;
  return rollout.waves.slice(0, until).map((names) => ({
    nodes: names.map((node) => {
      const { state = "pending", skipped = null } = rollout.nodes.get(node) ?? {};
      return { node, state: skipped === "declined" ? ("not-for-me" as const) : AS_SEEN[state] };
    }),
  }));
}

const AS_SEEN = {
  pending: "open",
  in_progress: "open",
  validating: "open",
  succeeded: "applied",
  failed: "failed",
  rolled_back: "failed",
  skipped: "skipped",
} as const satisfies Record<RolloutNodeState, string>;

function namesIn(rollout: Rollout, wave: number, state: RolloutNodeState): readonly string[] {
  return (rollout.waves[wave] ?? []).filter((node) => rollout.nodes.get(node)?.state === state);
}

function some(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}
