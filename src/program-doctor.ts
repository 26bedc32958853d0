import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import { EXIT, refused } from "./commands/result.ts";

/** `doctor --repo` (DESIGN §5): reads GITHUB_REPOSITORY and GITHUB_TOKEN. */
export function addDoctorVerb(program: Command, run: Verb): void {
  program
    .command("doctor")
    .description("what is amiss, and what to change")
    .requiredOption("--repo", "settings of the repository on GitHub; wants GITHUB_REPOSITORY and GITHUB_TOKEN")
    .action(async (_options: object, command: Command) => {
      await run(command, async (folder) => {
        const { runDoctorRepo } = await import("./commands/doctor-repo.ts");
        const { forgeFromEnvironment } = await import("./adapters/github/environment.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { workflowFiles } = await import("./adapters/workflow-files.ts");
        const setup = forgeFromEnvironment(process.env);
        if (setup.kind === "problem") return refused(setup, EXIT.failed);
        const workflows = () => workflowFiles(folder);
        return runDoctorRepo({ repository: gitRepository(folder), forge: setup.forge, workflows });
      });
    });
}
