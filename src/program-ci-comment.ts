import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import { durationOption } from "./duration-option.ts";

/** `ci comment` (DESIGN §6). */
export function addCiComment(ci: Command, run: Verb): void {
  ci.command("comment")
    .description("answer the /rollcall command of the event's comment")
    .option("--output <folder>", "where documents go")
    .option("--schedule <duration>", "how long scheduled runs are apart, such as 1h", durationOption)
    .option("--live", "answer with a live plan: the second job, which has the key to the nodes", false)
    .action(async (options: { live: boolean; schedule?: number }, command: Command) => {
      await run(command, async (folder) => {
        const { ciWorld } = await import("./ci-world.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitHistory } = await import("./adapters/git-history.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { memorySimulator } = await import("./adapters/memory/simulator.ts");
        const { remoteCommits } = await import("./adapters/remote-commits.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const doors = {
          ...(await ciWorld(command)),
          repository: gitRepository(folder),
          history: gitHistory(folder),
          store: (branch: string) => gitObservedStore(folder, { branch, clock: systemClock }),
          simulator: memorySimulator,
          clock: systemClock,
          commits: remoteCommits(folder),
        };
        if (!options.live) {
          const { runCiComment } = await import("./commands/ci/comment.ts");
          return runCiComment(doors, { scheduleMs: options.schedule ?? null });
        }
        const { runCiLiveComment } = await import("./commands/ci/comment-live.ts");
        const { withRun } = await import("./world.ts");
        // The known hosts of the working tree, which is main's.
        return withRun(folder, (open) => runCiLiveComment({ ...doors, open }));
      });
    });
}
