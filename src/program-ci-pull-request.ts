import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import { durationOption } from "./duration-option.ts";

interface PullRequestFlags {
  readonly fromRun: boolean;
  readonly schedule?: number;
}

/** `ci pull-request` (DESIGN §6). */
export function addCiPullRequest(ci: Command, run: Verb): void {
  ci.command("pull-request")
    .description("what a merge would do, told in the pull request; nothing is contacted")
    .option("--output <folder>", "where the full documents go")
    .option("--from-run", "after the pull request's own run, which may not write", false)
    .option("--schedule <duration>", "how long scheduled runs are apart, such as 1h", durationOption)
    .action(async (options: PullRequestFlags, command: Command) => {
      await run(command, async (folder) => {
        const { ciWorld } = await import("./ci-world.ts");
        const { runCiPullRequest } = await import("./commands/ci/pull-request.ts");
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
        return runCiPullRequest(doors, { fromRun: options.fromRun, scheduleMs: options.schedule ?? null });
      });
    });
}
