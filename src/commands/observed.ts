import { forgotten } from "../engine/forgotten-nodes.ts";
import { parseUnit } from "../model/unit.ts";
import { outlivedRollouts } from "../plan/outlived-rollouts.ts";
import { readSegments } from "../plan/read-segments.ts";
import type { Clock, ObservedCompaction, ObservedFiles, ObservedStore, Repository } from "../ports.ts";
import { visible } from "../render/visible.ts";
import { mergedState } from "./merged-state.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";
import { underLock } from "./under-lock.ts";

export interface CompactDoors {
  readonly repository: Repository;
  readonly store: (branch: string) => ObservedStore & ObservedCompaction;
  readonly clock: Clock;
}

export interface CompactOptions {
  /** Milliseconds for which ended rollouts are kept at least. */
  readonly keepMs: number;
  readonly holder: string;
  readonly runId: string;
  /** The reason to take the lock from who has it; null: only when it is free. */
  readonly takeOver: string | null;
}

interface Dropped {
  readonly rollouts: readonly string[];
  readonly paths: readonly string[];
}

/**
 * `observed compact`: the observed branch gets a new root with today's files, less the logs of rollouts that ended long ago
 * and what is recorded of nodes that are gone (DESIGN §4, decision 014). Under the lock. 0 · 1 not written · 2 refused.
 */
export async function runCompact(doors: CompactDoors, options: CompactOptions): Promise<CommandResult> {
  const merged = await mergedState(doors.repository);
  if ("exitCode" in merged) return merged;
  const { state } = merged;
  const nodes = new Set(state.nodes.filter((node) => node.state !== "retired").map(({ name }) => name));
  const store = doors.store(state.fleet.observedBranch);
  return underLock(store, options, async (lock, tookOver) => {
    const before = new Date(doors.clock.now().getTime() - options.keepMs);
    let dropped: Dropped = { rollouts: [], paths: [] };
    const edit = (files: ObservedFiles) => {
      dropped = outlived(files, nodes, before);
      return new Map(dropped.paths.map((path) => [path, null]));
    };
    const answer = await store.reroot(edit, { message: "chore(observed): begin a new history", lock });
    if (answer.kind === "failed") return refused(answer, EXIT.failed);
    if (answer.kind === "lock-lost") {
      const message = `the fleet's lock was lost to ${answer.by}; nothing was written`;
      return refused({ code: "lock-lost", message, hint: "wait for that run, then try again" }, EXIT.failed);
    }
    return compacted(answer.kind === "recorded", answer.files, dropped, tookOver);
  });
}

/** What goes. A log with a line that cannot be read stays: nobody knows what it says. */
function outlived(files: ObservedFiles, nodes: ReadonlySet<string>, before: Date): Dropped {
  const faults: { readonly path: string; readonly message: string }[] = [];
  const logs = readSegments(files, faults);
  const damaged = new Set(faults.map(({ path }) => folderOf(path)));
  const rollouts = outlivedRollouts(logs, before).filter((id) => !damaged.has(logFolder(id)));
  const folders = new Set(rollouts.map(logFolder));
  const segments = files.paths.filter((path) => folders.has(folderOf(path)));
  return { rollouts, paths: [...segments, ...forgotten(files, nodes)].sort() };
}

function logFolder(id: string): string {
  const [unit = "", digest12 = ""] = id.split("@");
  const parsed = parseUnit(unit);
  return `rollouts/${parsed?.kind}/${parsed?.name}/${digest12}`;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function compacted(
  written: boolean,
  files: ObservedFiles,
  { rollouts, paths }: Dropped,
  tookOver: string | null,
): CommandResult {
  const done = written
    ? `the observed branch begins anew at ${files.commit} with ${files.paths.length} files; ${paths.length} dropped`
    : "there is nothing to compact";
  return {
    exitCode: EXIT.ok,
    document: { ok: true, compacted: written, commit: files.commit, rollouts, paths, took_over: tookOver },
    text: (paint) =>
      [
        ...(tookOver === null ? [] : [`${paint.yellow("lock taken over")} from ${visible(tookOver)}`]),
        done,
        ...rollouts.map((id) => `  ${paint.dim("dropped")} rollout ${visible(id)}`),
        ...paths
          .filter((path) => path.startsWith("nodes/"))
          .map((path) => `  ${paint.dim("dropped")} ${visible(path)}`),
        "",
      ].join("\n"),
  };
}
