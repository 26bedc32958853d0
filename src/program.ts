import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { answer, answerFailure, type Verb } from "./answer.ts";
import { EXIT, refused } from "./commands/result.ts";
import { addAuditVerb } from "./program-audit.ts";
import { addBoardVerb } from "./program-board.ts";
import { addCiVerbs } from "./program-ci.ts";
import { addDoctorVerb } from "./program-doctor.ts";
import { addEditVerbs } from "./program-edits.ts";
import { addGeneratedVerbs } from "./program-generated.ts";
import { addObservedVerbs } from "./program-observed.ts";
import { addPlanVerb } from "./program-plan.ts";
import { addReconcileVerb } from "./program-reconcile.ts";
import { addRolloutVerbs } from "./program-rollout.ts";
import { addRunVerbs } from "./program-runs.ts";

interface GlobalOptions {
  readonly C: string;
  readonly json: boolean;
}

/** argv → command → exit code. Everything a verb needs is loaded by the verb (ssh2, zod and yaml are slow to load). */
export async function runProgram(argv: readonly string[], version: string): Promise<void> {
  const program = new Command("rollcall")
    .description("A git repository says what each machine should be; rollcall makes it so over SSH and reads it back.")
    .version(version)
    .option("-C <dir>", "the fleet repository", ".")
    .option("--json", "one JSON document on stdout", false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const json = argv.includes("--json");
  const run: Verb = async (command, verb) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    answer(await verb(resolve(options.C)), options.json);
  };
  process.stdout.on("error", endQuietlyWhenReaderLeft);
  addValidate(program, run);
  addRunVerbs(program, run);
  addAuditVerb(program, run);
  addPlanVerb(program, run);
  addBoardVerb(program, run);
  addReconcileVerb(program, run);
  addRolloutVerbs(program, run);
  addObservedVerbs(program, run);
  addEditVerbs(program, run);
  addGeneratedVerbs(program, run);
  addCiVerbs(program, run);
  addDoctorVerb(program, run);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) return answerFailure(error, json);
    if (error.exitCode === 0) return;
    const message = error.message.replace(/^error: /, "");
    const shown = error.code === "commander.help" ? "a verb is missing" : message;
    answer(refused({ code: "usage", message: shown, hint: "rollcall --help lists the verbs" }, EXIT.usage), json);
  }
}

function addValidate(program: Command, run: Verb): void {
  program
    .command("validate")
    .description("schemas, references, and the generation when there is a base")
    .option("--base <ref>", "the commit that a change must come after, such as origin/main")
    .action(async (options: { base?: string }, command: Command) => {
      await run(command, async (folder) => {
        const { runValidate } = await import("./commands/validate.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        return runValidate(gitRepository(folder), { base: options.base ?? null });
      });
    });
}

/** `rollcall check | head`: the reader left, which is no fault of anybody. */
function endQuietlyWhenReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
