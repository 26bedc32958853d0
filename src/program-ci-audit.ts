import type { Command } from "commander";
import type { Verb } from "./answer.ts";

/** `ci audit` (DESIGN §6). */
export function addCiAudit(ci: Command, run: Verb): void {
  ci.command("audit")
    .description("the whole fleet, read only; one issue says what was found")
    .option("--output <folder>", "where documents go")
    .action(async (_options: object, command: Command) => {
      await run(command, async (folder) => {
        const { runCiAudit } = await import("./commands/ci/audit.ts");
        const { ciWorld } = await import("./ci-world.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const { shellRecheck } = await import("./adapters/recheck.ts");
        const { withRun } = await import("./world.ts");
        const world = await ciWorld(command);
        return withRun(folder, (open) => {
          const store = (branch: string) => gitObservedStore(folder, { branch, clock: systemClock });
          const doors = { repository: gitRepository(folder), open, store, recheck: shellRecheck(), clock: systemClock };
          return runCiAudit({ ...world, ...doors });
        });
      });
    });
}
