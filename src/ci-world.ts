import type { Command } from "commander";
import type { WorkflowEvent } from "./model/workflow-event.ts";
import type { Forge } from "./ports/forge.ts";
import type { WorkflowRun } from "./ports/workflow-run.ts";

/** What every verb of `ci` gets from the real world. */
export interface CiWorld {
  readonly event: WorkflowEvent;
  readonly run: WorkflowRun;
  /** null: there is nobody to tell; `forgeProblem` says why, in one line. */
  readonly forge: Forge | null;
  readonly forgeProblem: string;
  /** Address of the repository's pages; null: not known. */
  readonly pages: string | null;
}

/** `--output FOLDER` of the command says where documents go. The log is stdout, or stderr with `--json`. */
export async function ciWorld(command: Command): Promise<CiWorld> {
  const { eventFromEnvironment, runFromEnvironment } = await import("./adapters/github/actions-environment.ts");
  const { forgeFromEnvironment } = await import("./adapters/github/environment.ts");
  const { output, json } = command.optsWithGlobals<{ output?: string; json: boolean }>();
  const log = json ? process.stderr : process.stdout;
  const setup = forgeFromEnvironment(process.env);
  const told =
    setup.kind === "ready"
      ? { forge: setup.forge, forgeProblem: "" }
      : { forge: null, forgeProblem: `${setup.message}. ${setup.hint}` };
  const run = runFromEnvironment(process.env, { folder: output ?? null, log });
  const { GITHUB_SERVER_URL: server } = process.env;
  const pages = server === undefined || run.repository === "" ? null : `${server}/${run.repository}`;
  return { event: await eventFromEnvironment(process.env), run, pages, ...told };
}
