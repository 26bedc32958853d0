#!/usr/bin/env node
export {};

/** Put in by build.mjs. */
declare const __ROLLCALL_VERSION__: string;

// When stderr's reader has left there is nobody to tell, and a run must not end halfway: `rollcall apply 2>&1 | head`.
process.stderr.on("error", () => {});
let stdoutBroke = false;
process.stdout.on("error", () => {
  stdoutBroke = true;
});
process.on("uncaughtException", endWithoutTrace);

if (process.argv.length === 3 && process.argv[2] === "--version") {
  console.log(__ROLLCALL_VERSION__);
} else {
  const { runProgram } = await import("./program.ts");
  await runProgram(process.argv, __ROLLCALL_VERSION__);
}

/** What was thrown outside of every promise, as by a stdout on a full disk: exit 70, never the 1 that means drift. */
async function endWithoutTrace(error: unknown): Promise<void> {
  const { answerFailure } = await import("./answer.ts");
  answerFailure(error, process.argv.includes("--json") && !stdoutBroke);
  process.exit();
}
