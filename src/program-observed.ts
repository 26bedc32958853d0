import { type Command, InvalidArgumentError } from "commander";
import type { Verb } from "./answer.ts";
import { parseDuration } from "./kit/duration.ts";

interface CompactFlags {
  readonly keep: number;
  readonly takeOverLock: boolean;
  readonly reason?: string;
}

/** Retention of the record (DESIGN §4). */
export function addObservedVerbs(program: Command, run: Verb): void {
  const observed = program.command("observed").description("the branch that holds what was observed");
  observed
    .command("compact")
    .description("give the observed branch a new beginning, without what is long over")
    .option("--keep <duration>", "keep the logs of rollouts that ended within this time", duration, 90 * 86_400_000)
    .option("--take-over-lock", "take the fleet's lock from who has it; needs --reason", false)
    .option("--reason <text>", "why, for the record")
    .action(async (options: CompactFlags, command: Command) => {
      if (options.takeOverLock !== (options.reason !== undefined))
        command.error("error: --take-over-lock and --reason go together");
      await run(command, async (folder) => {
        const { runCompact } = await import("./commands/observed.ts");
        const { actorName } = await import("./adapters/actor.ts");
        const { holderText } = await import("./adapters/lock-holder.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { newRunId, systemClock } = await import("./adapters/system-clock.ts");
        const store = (branch: string) => gitObservedStore(folder, { branch, clock: systemClock });
        const holder = holderText(await actorName(folder, process.env), process.env);
        const wish = { holder, runId: newRunId(systemClock.now()), takeOver: options.reason ?? null };
        const doors = { repository: gitRepository(folder), store, clock: systemClock };
        return runCompact(doors, { keepMs: options.keep, ...wish });
      });
    });
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new InvalidArgumentError("It must be a duration such as 90d.");
}
