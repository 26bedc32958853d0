import { dirname } from "node:path";
import type { Command } from "commander";
import type { Verb } from "./answer.ts";

type Write = (file: string, text: string) => Promise<void>;

/** The verbs that write what follows from the code (DESIGN §3, §3.2). */
export function addGeneratedVerbs(program: Command, run: Verb): void {
  program
    .command("schemas")
    .description("JSON Schemas of the files that people write, for editors")
    .option("--write <dir>", "write them into this folder")
    .action(async (options: { write?: string }, command: Command) => {
      await run(command, async () => {
        const { runSchemas } = await import("./commands/schemas.ts");
        return runSchemas(writerInto(options.write));
      });
    });
  program
    .command("docs")
    .description("a page per resource type, from what reads it")
    .option("--write <dir>", "write them into this folder")
    .action(async (options: { write?: string }, command: Command) => {
      await run(command, async () => {
        const { runDocs } = await import("./commands/docs.ts");
        return runDocs(writerInto(options.write));
      });
    });
}

function writerInto(folder: string | undefined): Write | null {
  if (folder === undefined) return null;
  return async (file, text) => {
    const { mkdir, writeFile } = await import("node:fs/promises");
    await mkdir(dirname(`${folder}/${file}`), { recursive: true });
    await writeFile(`${folder}/${file}`, text);
  };
}
