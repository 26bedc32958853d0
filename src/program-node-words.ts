import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import type { UnitWordFlags } from "./commands/node-words.ts";
import { wholeNumber } from "./whole-number.ts";

/** What people say of a node or of one unit on it (DESIGN §3, §5). */
export function addNodeWords(node: Command, run: Verb): void {
  unitWord(node, run, "decline", "this node refuses a unit, with the reason")
    .option("--reason <text>", "why, for everybody to read")
    .option("--remove", "take it back", false);
  unitWord(node, run, "claim", "a person says that a unit is in place here, without proof")
    .option("--note <text>", "what was done, for everybody to read")
    .option("--remove", "take it back", false);
  node
    .command("down")
    .description("it is known not to answer: last in its waves and not attempted, until it is up again")
    .argument("<name>")
    .requiredOption("--generation <n>", "the generation that is current", wholeNumber)
    .requiredOption("--reason <text>", "why")
    .option("--recheck <line>", "reachable, or a shell line that an audit runs on the runner", "reachable")
    .option("--by <who>", "who says so; you, unless given")
    .action(async (name: string, options: DownFlags, command: Command) => {
      await run(command, async (folder) => {
        const { runNodeDown } = await import("./commands/node-words.ts");
        return runNodeDown(await editor(folder), { name, ...options, ...(await speaker(folder, options.by)) });
      });
    });
  node
    .command("up")
    .description("takes a down verdict back")
    .argument("<name>")
    .requiredOption("--generation <n>", "the generation that is current", wholeNumber)
    .action(async (name: string, options: { generation: number }, command: Command) => {
      await run(command, async (folder) => {
        const { runNodeUp } = await import("./commands/node-words.ts");
        return runNodeUp(await editor(folder), { name, generation: options.generation });
      });
    });
}

type DownFlags = {
  readonly generation: number;
  readonly reason: string;
  readonly recheck: string;
  readonly by?: string;
};

function unitWord(node: Command, run: Verb, verb: "decline" | "claim", description: string): Command {
  return node
    .command(verb)
    .description(description)
    .argument("<name>")
    .argument("<unit>", "such as role:edge")
    .requiredOption("--generation <n>", "the generation that is current", wholeNumber)
    .option("--by <who>", "who says so; you, unless given")
    .action(async (name: string, unit: string, options: UnitWordFlags & { by?: string }, command: Command) => {
      await run(command, async (folder) => {
        const { runUnitWord } = await import("./commands/node-words.ts");
        const word = { name, unit, ...options, ...(await speaker(folder, options.by)) };
        return runUnitWord(await editor(folder), verb, word);
      });
    });
}

async function speaker(folder: string, by: string | undefined): Promise<{ by: string; at: string }> {
  const { actorName } = await import("./adapters/actor.ts");
  const { systemClock } = await import("./adapters/system-clock.ts");
  // Whole seconds: the milliseconds of a person's word are noise in a file that people read.
  const at = systemClock
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, "Z");
  return { by: by ?? (await actorName(folder, process.env)), at };
}

async function editor(folder: string) {
  const { desiredEditor } = await import("./adapters/desired-editor.ts");
  return desiredEditor(folder);
}
