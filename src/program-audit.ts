import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import { type SelectionFlags, selecting, selection } from "./program-runs.ts";

/** The look at the whole fleet (DESIGN §5). */
export function addAuditVerb(program: Command, run: Verb): void {
  selecting(
    program
      .command("audit")
      .description("the whole fleet held against the record: drift, silence, verdicts; read-only"),
  ).action(async (nodes: string[], options: SelectionFlags, command: Command) => {
    await run(command, async (folder) => {
      const { runAudit } = await import("./commands/audit.ts");
      const { gitRepository } = await import("./adapters/git-repository.ts");
      const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
      const { systemClock } = await import("./adapters/system-clock.ts");
      const { shellRecheck } = await import("./adapters/recheck.ts");
      const { withRun } = await import("./world.ts");
      return withRun(folder, (open) => {
        const store = (branch: string) => gitObservedStore(folder, { branch, clock: systemClock });
        const doors = { repository: gitRepository(folder), open, store, recheck: shellRecheck() };
        return runAudit(doors, selection(nodes, options));
      });
    });
  });
}
