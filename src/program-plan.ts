import type { Command } from "commander";
import type { Verb } from "./answer.ts";

interface PlanFlags {
  readonly base?: string;
  readonly live: boolean;
  readonly diff: boolean;
  readonly simulate?: string;
}

/** What a merge would do (DESIGN §5). */
export function addPlanVerb(program: Command, run: Verb): void {
  program
    .command("plan")
    .description("what a merge would do: units, waves and every item, without contacting a node")
    .option("--base <ref>", "the commit that a change must come after, such as origin/main")
    .option("--live", "ask the nodes instead of the record", false)
    .option("--diff", "also how the content of files would change, where it may be shown", false)
    .option(
      "--simulate <faults>",
      "the course of the merge run over imagined nodes, such as 'web-02 fails, desk-01 unreachable'",
    )
    .action(async (options: PlanFlags, command: Command) => {
      await run(command, async (folder) => {
        const { runPlan, runSimulation } = await import("./commands/plan.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitHistory } = await import("./adapters/git-history.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { memorySimulator } = await import("./adapters/memory/simulator.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const { withRun } = await import("./world.ts");
        const doors = {
          repository: gitRepository(folder),
          history: gitHistory(folder),
          store: (branch: string) => gitObservedStore(folder, { branch, clock: systemClock }),
          simulator: memorySimulator,
          clock: systemClock,
        };
        const wish = { base: options.base ?? null, scheduleMs: null };
        if (options.simulate !== undefined) return runSimulation({ ...doors, open: null }, wish, options.simulate);
        if (!options.live) return runPlan({ ...doors, open: null }, wish, options);
        return withRun(folder, (open) => runPlan({ ...doors, open }, wish, options));
      });
    });
}
