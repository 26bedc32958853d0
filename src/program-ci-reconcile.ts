import { type Command, InvalidArgumentError } from "commander";
import type { Verb } from "./answer.ts";
import { parseDuration } from "./kit/duration.ts";

/** `ci reconcile` (DESIGN §6). Reasons come from people through the environment: they are near no shell. */
export function addCiReconcile(ci: Command, run: Verb): void {
  ci.command("reconcile")
    .description("the merge run: held against what was reviewed, carried out, told of on GitHub")
    .option("--output <folder>", "where documents go")
    .option("--budget <duration>", "end, recorded, after about this long, such as 50m; the next run goes on", duration)
    .action(async (options: { budget?: number }, command: Command) => {
      await run(command, async (folder) => {
        const { runCiReconcile } = await import("./commands/ci/reconcile.ts");
        const { ciWorld } = await import("./ci-world.ts");
        const { actorName } = await import("./adapters/actor.ts");
        const { holderText } = await import("./adapters/lock-holder.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitHistory } = await import("./adapters/git-history.ts");
        const { gitMergedPast } = await import("./adapters/git-merged-past.ts");
        const { remoteCommits } = await import("./adapters/remote-commits.ts");
        const { memorySimulator } = await import("./adapters/memory/simulator.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const { untilInterrupted } = await import("./adapters/interruption.ts");
        const { withRun } = await import("./world.ts");
        const world = await ciWorld(command);
        const actor = await actorName(folder, process.env);
        const takeOver = (process.env.ROLLCALL_TAKE_OVER_LOCK ?? "").trim() || null;
        const wish = {
          budgetMs: options.budget ?? null,
          takeOverLock: takeOver !== null,
          reason: takeOver,
          holder: holderText(actor, process.env),
          actor,
          acceptEscalation: process.env.ROLLCALL_ACCEPT_ESCALATION ?? null,
        };
        return untilInterrupted((interrupted) =>
          withRun(folder, (open) => {
            const doors = {
              ...world,
              repository: gitRepository(folder),
              history: gitHistory(folder),
              past: gitMergedPast(folder),
              commits: remoteCommits(folder),
              simulator: memorySimulator,
              store: (branch: string) => gitObservedStore(folder, { branch, clock: systemClock }),
              clock: systemClock,
              open,
              interrupted,
            };
            return runCiReconcile(doors, wish);
          }),
        );
      });
    });
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError("It must be a duration such as 50m or 1h30m.");
}
