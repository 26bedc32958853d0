import { nearest } from "../desired/schema/nearest.ts";
import type { Board } from "../model/board.ts";
import { boardExit, boardOf } from "../plan/board.ts";
import { planFleet } from "../plan/planner.ts";
import { readRecord } from "../plan/read-record.ts";
import type { Clock, DesiredFiles, ObservedFiles, ObservedStore, Repository } from "../ports.ts";
import { renderBoard } from "../render/board.ts";
import { boardMarkdown } from "../render/board-markdown.ts";
import { isResult, loadState } from "./load-state.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";

export interface BoardDoors {
  readonly repository: Repository;
  /** Of the observed branch of that name. Asked for only where there is git history. */
  readonly store: (branch: string) => Pick<ObservedStore, "read">;
  readonly clock: Clock;
}

export interface BoardOptions {
  /** Only this unit; null: all. */
  readonly unit: string | null;
  /** The text is the page that is committed and shown in summaries of jobs. */
  readonly markdown: boolean;
}

/**
 * `board`: the four states per unit, of what main asks for (DESIGN §5). Reads the repository and the record, no node. 0 every
 * unit is in, 1 somebody is pending or claimed, or nothing is proved at all.
 */
export async function runBoard(doors: BoardDoors, options: BoardOptions): Promise<CommandResult> {
  const { desired, files, history } = await wanted(doors.repository);
  const state = loadState(files);
  if (isResult(state)) return state;
  const store = history ? doors.store(state.fleet.observedBranch) : null;
  const { observed, live } = store === null ? { observed: NOTHING, live: NOTHING } : await store.read();
  const record = readRecord(observed, live);
  const plan = planFleet(state, record, doors.clock.now());
  const units = options.unit === null ? plan.units : plan.units.filter(({ unit }) => unit.id === options.unit);
  if (options.unit !== null && units.length === 0) {
    const known = plan.units.map(({ unit }) => unit.id);
    return refused(unknownUnit(options.unit, known), EXIT.usage);
  }
  const board = boardOf({ ...plan, units }, { desired, record });
  const exitCode = boardExit(board);
  return {
    exitCode,
    document: board,
    text: (paint) => (options.markdown ? boardMarkdown(board) : renderBoard(board, exitCode, paint)),
  };
}

/** What is merged; only where there is no main branch what lies in the working tree, and then the board says so. */
async function wanted(repository: Repository): Promise<{
  readonly desired: Board["desired"];
  readonly files: DesiredFiles;
  /** Without any commit there is no record either. */
  readonly history: boolean;
}> {
  const main = await repository.main();
  const files = main === null ? undefined : await repository.at(main.commit);
  const { head, dirty, merged } = await repository.standing();
  const history = head !== null;
  if (main === null || files === undefined) {
    const commit = dirty.length === 0 ? head : null;
    const desired = { source: "working-tree" as const, branch: null, commit, unmerged: true };
    return { desired, files: await repository.workingTree(), history };
  }
  const unmerged = dirty.length > 0 || !merged;
  return { desired: { source: "main", branch: main.branch, commit: main.commit, unmerged }, files, history };
}

const NOTHING: ObservedFiles = { commit: null, paths: [], read: () => undefined };

function unknownUnit(unit: string, known: readonly string[]): Refusal {
  const near = nearest(unit, known);
  const here = known.length === 0 ? "none" : known.slice(0, 12).join(", ");
  const hint = near === undefined ? `units here: ${here}` : `did you mean ${near}?`;
  return { code: "unknown-unit", message: `there is no unit ${unit}`, hint };
}
