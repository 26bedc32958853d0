#!/usr/bin/env node
export {};

/** Put in by build.mjs. */
declare const __ROLLCALL_VERSION__: string;

if (process.argv.length === 3 && process.argv[2] === "--version") {
  console.log(__ROLLCALL_VERSION__);
} else {
  const { runProgram } = await import("./program.ts");
  await runProgram(process.argv, __ROLLCALL_VERSION__);
}
