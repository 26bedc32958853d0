import type { Command } from "commander";
import type { Verb } from "./answer.ts";

/** The four states of every unit (DESIGN §5). */
export function addBoardVerb(program: Command, run: Verb): void {
  program
    .command("board")
    .description("what main asks for, and which node has proved it: applied, claimed, pending, not for me")
    .option("--unit <unit>", "only this unit, role:<name>")
    .option("--markdown", "as the page for a job's summary", false)
    .action(async (options: { unit?: string; markdown: boolean }, command: Command) => {
      await run(command, async (folder) => {
        const { runBoard } = await import("./commands/board.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const store = (branch: string) => gitObservedStore(folder, { branch, clock: systemClock });
        const doors = { repository: gitRepository(folder), store, clock: systemClock };
        return runBoard(doors, { unit: options.unit ?? null, markdown: options.markdown });
      });
    });
}
