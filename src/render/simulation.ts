import type { Board } from "../model/board.ts";
import type { RolloutEvent } from "../model/rollout-event.ts";
import { renderBoard } from "./board.ts";
import type { Paint } from "./paint.ts";
import { namesWords } from "./plan-words.ts";
import { visible } from "./visible.ts";

export interface SimulationView {
  /** The faults, as they were asked for. */
  readonly simulated: string;
  readonly runs: readonly {
    readonly run_id: string;
    readonly rollouts: readonly { readonly id: string; readonly events: readonly RolloutEvent[] }[];
    /** null: the controller was killed. */
    readonly result: { readonly stopped: { readonly reason: string } | null } | null;
  }[];
  readonly board: Board;
  readonly boardExit: number;
}

/** The course of a simulated merge run, as a script: what was begun, what became of each node, and the board at the end. */
export function renderSimulation({ simulated, runs, board, boardExit }: SimulationView, paint: Paint): string {
  const what = simulated.trim() === "" ? "nothing goes wrong" : simulated;
  return [
    paint.bold(`simulated: ${visible(what)} · nothing real was touched`),
    ...runs.flatMap(({ run_id, rollouts, result }) => [
      "",
      paint.bold(run_id),
      ...(rollouts.length === 0 ? ["  nothing was begun"] : []),
      ...rollouts.flatMap(({ id, events }) => [
        `  ${visible(id)}`,
        ...events.map((event) => `    ${visible(line(event))}`),
      ]),
      ...(result === null ? [paint.red("  the controller was killed")] : []),
      ...(result?.stopped ? [paint.yellow(`  the run ended early: ${result.stopped.reason}`)] : []),
    ]),
    "",
    renderBoard(board, boardExit, paint),
  ].join("\n");
}

function line(event: RolloutEvent): string {
  switch (event.event) {
    case "created":
      return `round ${event.round}: ${event.waves.map(namesWords).join(" → ")}`;
    case "started":
      return "begins";
    case "escape":
      return `gate ${event.gate} is bypassed: ${event.reason}`;
    case "wave-started":
      return `wave ${event.wave + 1} begins`;
    case "node-started":
      return `  ${event.node} is at work`;
    case "node-succeeded":
      return `  ${event.node} proved it (${event.grade})`;
    case "node-failed":
      return `  ${event.node} failed, ${event.outcome}: ${event.message}`;
    case "node-skipped":
      return `  ${event.node} is left out: ${event.reason}${event.detail === "" ? "" : ` (${event.detail})`}`;
    case "wave-passed":
      return `wave ${event.wave + 1} is through${event.forced ? ", by hand" : ""}`;
    case "paused":
      return `stands still, ${event.reason}: ${event.detail}`;
    case "completed":
      return "is completed";
    case "failed":
      return `has failed: ${event.detail}`;
    case "rolled-back":
      return "is rolled back";
    case "superseded":
      return `is superseded: ${event.by}`;
    case "start-requested":
      return "is asked to start anew";
    case "run-ended":
      return `the run ended: ${event.reason}`;
    case "signal":
      return `signal ${event.signal} ${event.nodes.join(" ")}`.trimEnd();
  }
}
