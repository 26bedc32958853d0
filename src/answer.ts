import type { Command } from "commander";
import pc from "picocolors";
import { type CommandResult, EXIT, refused } from "./commands/result.ts";
import { Trouble } from "./kit/trouble.ts";
import type { Paint } from "./render/paint.ts";
import { PLAIN } from "./render/paint.ts";
import { visibleJson } from "./render/visible.ts";

/** Runs one verb and answers it. `folder` is the fleet repository. */
export type Verb = (command: Command, verb: (folder: string) => Promise<CommandResult>) => Promise<void>;

/** Writes a verb's answer: one JSON document on stdout, or text for people; the exit code is set, never forced. */
export function answer(result: CommandResult, json: boolean): void {
  process.exitCode = result.exitCode;
  if (json) process.stdout.write(`${visibleJson(result.document)}\n`);
  else process.stdout.write(result.text(terminalPaint(process.stdout)));
}

/** The last catch of all (STYLE: exceptions are for bugs and broken adapters): one line, no stack trace, exit 70. */
export function answerFailure(error: unknown, json: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  const hint = "this is a fault of rollcall or of the machine it runs on; ROLLCALL_DEBUG=1 shows where it happened";
  if (process.env.ROLLCALL_DEBUG !== undefined) console.error(error);
  const fault = { code: "internal-error", message: message.split("\n")[0] ?? "", hint };
  const result = refused(
    error instanceof Trouble ? { code: error.code, message, hint: error.hint } : fault,
    EXIT.internal,
  );
  process.exitCode = result.exitCode;
  if (json) process.stdout.write(`${visibleJson(result.document)}\n`);
  else process.stderr.write(result.text(terminalPaint(process.stderr)));
}

function terminalPaint(stream: NodeJS.WriteStream): Paint {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  const wanted = FORCE_COLOR === undefined ? stream.isTTY && TERM !== "dumb" : FORCE_COLOR !== "0";
  if (NO_COLOR || !wanted) return PLAIN;
  const colours = pc.createColors(true);
  const { bold, dim, red, green, yellow, cyan } = colours;
  return { bold, dim, red, green, yellow, cyan };
}
