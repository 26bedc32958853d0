import { resourcePages } from "../render/resource-pages.ts";
import { type CommandResult, EXIT } from "./result.ts";

/**
 * `docs [--write DIR]`: the pages of the resource types, generated from the catalogue (DESIGN §3.2). `write` is given a
 * file name below DIR and its text; without it they are only listed.
 */
export async function runDocs(write: ((file: string, text: string) => Promise<void>) | null): Promise<CommandResult> {
  const pages = resourcePages();
  if (write !== null) for (const [file, text] of pages) await write(file, text);
  return { exitCode: EXIT.ok, document: Object.fromEntries(pages), text: () => [...pages.keys(), ""].join("\n") };
}
