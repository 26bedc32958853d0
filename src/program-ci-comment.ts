import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import type { CiWorld } from "./ci-world.ts";
import type { CommandResult } from "./commands/result.ts";

/** `ci comment` (DESIGN §6). */
export function addCiComment(ci: Command, run: Verb): void {
  ci.command("comment")
    .description("answer the /rollcall command of the event's comment")
    .option("--output <folder>", "where documents go")
    .option("--live", "answer with a live plan: the second job, which has the key to the nodes", false)
    .action(async (options: { live: boolean }, command: Command) => {
      await run(command, async (folder) => {
        const { ciWorld } = await import("./ci-world.ts");
        const world = await ciWorld(command);
        return options.live ? live(folder, world) : answered(folder, world, command);
      });
    });
}

async function answered(folder: string, world: CiWorld, command: Command): Promise<CommandResult> {
  const { runCiComment } = await import("./commands/ci/comment.ts");
  const { gitRepository } = await import("./adapters/git-repository.ts");
  const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
  const { systemClock } = await import("./adapters/system-clock.ts");
  const store = (branch: string) => gitObservedStore(folder, { branch, clock: systemClock });
  const rollouts = { repository: gitRepository(folder), store, clock: systemClock };
  return runCiComment({ ...world, rollouts, replan });
}

async function live(folder: string, world: CiWorld): Promise<CommandResult> {
  const { runCiLiveComment } = await import("./commands/ci/comment-live.ts");
  const { fetchMergeCommit } = await import("./adapters/merge-commit.ts");
  const { gitRepository } = await import("./adapters/git-repository.ts");
  const { gitHistory } = await import("./adapters/git-history.ts");
  const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
  const { memorySimulator } = await import("./adapters/memory/simulator.ts");
  const { systemClock } = await import("./adapters/system-clock.ts");
  const { withRun } = await import("./world.ts");
  const doors = {
    ...world,
    repository: gitRepository(folder),
    history: gitHistory(folder),
    store: (branch: string) => gitObservedStore(folder, { branch, clock: systemClock }),
    simulator: memorySimulator,
    clock: systemClock,
    fetchChange: (number: number) => fetchMergeCommit(folder, number),
  };
  // Known hosts are those of the working tree: main's.
  return withRun(folder, (open) => runCiLiveComment({ ...doors, open }));
}
