import { type Command, InvalidArgumentError } from "commander";
import type { Verb } from "./answer.ts";
import { parseDuration } from "./kit/duration.ts";

interface ReconcileFlags {
  readonly budget?: number;
  readonly takeOverLock: boolean;
  readonly reason?: string;
}

/** The merge run (DESIGN §5). */
export function addReconcileVerb(program: Command, run: Verb): void {
  program
    .command("reconcile")
    .description("carry out what is merged: all that is due, in waves, read back and recorded")
    .option("--budget <duration>", "end, recorded, after about this long, such as 50m; the next run goes on", duration)
    .option("--take-over-lock", "take the fleet's lock from who has it; needs --reason", false)
    .option("--reason <text>", "why, for the record")
    .action(async (options: ReconcileFlags, command: Command) => {
      await run(command, async (folder) => {
        const { runReconcile } = await import("./commands/reconcile.ts");
        const { actorName } = await import("./adapters/actor.ts");
        const { holderText } = await import("./adapters/lock-holder.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const { untilInterrupted } = await import("./adapters/interruption.ts");
        const { withRun } = await import("./world.ts");
        const { budget = null, takeOverLock, reason = null } = options;
        const actor = await actorName(folder, process.env);
        const holder = holderText(actor, process.env);
        const store = (branch: string) => gitObservedStore(folder, { branch, clock: systemClock });
        return untilInterrupted((interrupted) =>
          withRun(folder, (open) => {
            const doors = { repository: gitRepository(folder), open, store, interrupted };
            return runReconcile(doors, { budgetMs: budget, takeOverLock, reason, holder, actor });
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
