import { appendFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readWorkflowEvent, type WorkflowEvent } from "../../model/workflow-event.ts";
import { SUMMARY_LIMIT, type WorkflowRun } from "../../ports/workflow-run.ts";
import { annotationCommand, groupCommands, maskCommand } from "./workflow-commands.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Bytes; GitHub's own bound of a payload is 25 MB. */
const MOST_EVENT_BYTES = 32 * 1024 * 1024;

/** What started the workflow: GITHUB_EVENT_NAME and the file GITHUB_EVENT_PATH. */
export async function eventFromEnvironment(environment: Environment): Promise<WorkflowEvent> {
  const { GITHUB_EVENT_NAME: name = "", GITHUB_EVENT_PATH: path = "" } = environment;
  if (path === "") return { name: "unknown", why: "GITHUB_EVENT_PATH is not set: this is no workflow's run" };
  try {
    const { size } = await stat(path);
    if (size > MOST_EVENT_BYTES) return { name: "unknown", why: `the event file has ${size} bytes` };
    return readWorkflowEvent(name, JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    return { name: "unknown", why: `the event file: ${(error as Error).message.split("\n")[0]}` };
  }
}

export interface RunOptions {
  /** `--output`: where documents go; null: nowhere. */
  readonly folder: string | null;
  /** The log: stdout, or stderr where stdout is one JSON document. */
  readonly log: Pick<NodeJS.WritableStream, "write">;
}

/** The run that the environment of a step describes; away from GitHub what has no place is left out. */
export function runFromEnvironment(environment: Environment, { folder, log }: RunOptions): WorkflowRun {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository = "", GITHUB_RUN_ID: id } = environment;
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, GITHUB_ACTOR: actor = "" } = environment;
  const isRun = server !== undefined && repository !== "" && id !== undefined;

  async function written(what: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const text = `${what} could not be written: ${(error as Error).message}`;
      log.write(annotationCommand({ level: "warning", title: "rollcall", text, file: null, line: null }));
    }
  }

  return {
    repository,
    url: isRun ? `${server}/${repository}/actions/runs/${id}` : null,
    actor,
    async summary(markdown) {
      if (summary !== undefined)
        await written("the summary", () => writeFile(summary, withinBytes(markdown, SUMMARY_LIMIT)));
    },
    async output(name, value) {
      if (output !== undefined)
        await written(`the output ${name}`, () => appendFile(output, `${name}=${value.replace(/[\r\n]+/g, " ")}\n`));
    },
    async document(file, content) {
      if (folder === null) return;
      const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
      await written(file, async () => {
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, basename(file)), text);
      });
    },
    annotate: (annotation) => void log.write(annotationCommand(annotation)),
    group: (title, text) => void log.write(groupCommands(title, text)),
    mask: (value) => {
      for (const line of value.split(/\r?\n/)) if (line !== "") log.write(maskCommand(line));
    },
  };
}

/** Whole lines only: half of one could open what nothing closes. */
function withinBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= limit) return text;
  const note = "\n\nThe rest is over GitHub's limit of a summary; the artifact has all of it.\n";
  const kept = bytes.subarray(0, limit - Buffer.byteLength(note)).toString("utf8");
  return `${kept.slice(0, Math.max(0, kept.lastIndexOf("\n")))}${note}`;
}
