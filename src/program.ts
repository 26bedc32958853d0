import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { answer, answerFailure, type Verb } from "./answer.ts";
import { EXIT, refused } from "./commands/result.ts";
import { addEditVerbs } from "./program-edits.ts";

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
  addNodeVerbs(program, run);
  addEditVerbs(program, run);
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

function addNodeVerbs(program: Command, run: Verb): void {
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
  program
    .command("check")
    .description("what differs between the nodes and the repository, read-only")
    .argument("[nodes...]", "node names or aliases; all without any")
    .option("--unit <unit>", "only this unit, role:<name>")
    .action(async (nodes: string[], options: { unit?: string }, command: Command) => {
      await run(command, async (folder) => {
        const { runCheck } = await import("./commands/check.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { withRun } = await import("./world.ts");
        const selection = { nodes, unit: options.unit ?? null };
        return withRun(folder, (context) => runCheck(gitRepository(folder), context, selection));
      });
    });
  program
    .command("apply")
    .description("make the nodes as the repository says, and read every fact back")
    .argument("[nodes...]", "node names or aliases; all without any")
    .option("--unit <unit>", "only this unit, role:<name>")
    .option("--dry-run", "stop before anything is done", false)
    .option("--allow-unmerged", "apply what is not on the main branch; needs --reason", false)
    .option("--reason <text>", "why, for the record")
    .action(async (nodes: string[], options: ApplyFlags, command: Command) => {
      await run(command, async (folder) => {
        const { runApply } = await import("./commands/apply.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { withRun } = await import("./world.ts");
        const wanted = { ...options, nodes, unit: options.unit ?? null, reason: options.reason ?? null };
        return withRun(folder, (context) => runApply(gitRepository(folder), context, wanted));
      });
    });
}

interface ApplyFlags {
  readonly unit?: string;
  readonly dryRun: boolean;
  readonly allowUnmerged: boolean;
  readonly reason?: string;
}

/** `rollcall check | head`: the reader left, which is no fault of anybody. */
function endQuietlyWhenReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
