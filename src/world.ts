import { newRunId, systemClock } from "./adapters/system-clock.ts";
import { terminalProgress } from "./adapters/terminal-progress.ts";
import type { CommandResult } from "./commands/result.ts";
import type { OpenRun } from "./commands/run-over-nodes.ts";
import { withoutSecrets } from "./engine/without-secrets.ts";
import { Trouble } from "./kit/trouble.ts";
import type { Secrets } from "./ports.ts";

/** Opens the real adapters for one run over nodes and closes them whatever happens. No secret leaves it. */
export async function withRun(folder: string, work: (open: OpenRun) => Promise<CommandResult>): Promise<CommandResult> {
  const { sshTransport } = await import("./adapters/ssh/transport.ts");
  const { runSecrets } = await import("./adapters/secrets/run-secrets.ts");
  const secrets = runSecrets({ root: folder, environment: process.env });
  const progress = terminalProgress(process.stderr);
  const transport = await sshTransport({ knownHostsFile: `${folder}/roster/known_hosts`, environment: process.env });
  const runId = newRunId(systemClock.now());
  try {
    const open: OpenRun = (parallel) => ({ runId, transport, secrets, clock: systemClock, progress, parallel });
    return answerWithoutSecrets(await work(open), secrets);
  } catch (error) {
    throw withoutCause(error, secrets);
  } finally {
    progress.end();
    await transport.close();
  }
}

/** Nobody has looked through the cause for secrets. */
function withoutCause(error: unknown, secrets: Secrets): Error {
  const message = secrets.redact(error instanceof Error ? error.message : String(error));
  return error instanceof Trouble ? new Trouble(message, { code: error.code, hint: error.hint }) : new Error(message);
}

/** What a failing tool on a node printed may hold a secret in any form. */
function answerWithoutSecrets(result: CommandResult, secrets: Secrets): CommandResult {
  return {
    exitCode: result.exitCode,
    document: withoutSecrets(result.document, secrets),
    text: (paint) => secrets.redact(result.text(paint)),
  };
}
