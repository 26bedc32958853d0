import { systemClock, newRunId } from "./adapters/system-clock.ts";
import { terminalProgress } from "./adapters/terminal-progress.ts";
import type { RunContext } from "./engine/run-context.ts";

/** Opens the real adapters for one run over nodes and closes them whatever happens. */
export async function withRun<Result>(
  folder: string,
  work: (run: (parallel: number) => RunContext) => Promise<Result>,
): Promise<Result> {
  const { sshTransport } = await import("./adapters/ssh/transport.ts");
  const progress = terminalProgress(process.stderr);
  const transport = await sshTransport({ knownHostsFile: `${folder}/roster/known_hosts`, environment: process.env });
  const runId = newRunId(systemClock.now());
  try {
    return await work((parallel) => ({ runId, transport, clock: systemClock, progress, parallel }));
  } finally {
    progress.end();
    await transport.close();
  }
}
