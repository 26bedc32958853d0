import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Stage, setStage } from "./demo/stage.ts";
import { story } from "./demo/story.ts";
import { narrator, tell } from "./demo/tell.ts";

/**
 * `npm start`: the main job for the reader to watch, by the real commands, over real SSH, on simulated nodes. Exit status 0
 * when the story came out as told, 1 when not, 130 when it was cut short. With `--stay` the fleet stays up afterwards.
 */
const here = dirname(fileURLToPath(import.meta.url));
const say = narrator(process.stdout);
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interruption.abort());

const stage = await setStage(exampleFleet(here), join(here, "main.js")).catch(cannotBegin);
try {
  if (stage !== null) process.exitCode = await play(stage);
} finally {
  await stage?.strike();
}
if (interruption.signal.aborted) leaveAtOnce();

function cannotBegin(error: unknown): null {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
  return null;
}

async function play(set: Stage): Promise<number> {
  introduce(set);
  const audience = { stream: process.stdout, signal: interruption.signal, stdio: "inherit" } as const;
  const trouble = await tell(story(), set, audience);
  if (interruption.signal.aborted) return 130;
  if (trouble !== null) {
    console.error(`\nThe story did not come out as told: ${trouble}`);
    return 1;
  }
  conclude();
  if (process.argv.includes("--stay")) await stay(set);
  return 0;
}

function introduce({ fleet, repository }: Stage): void {
  say.title("rollcall");
  say.line("A git repository says what each machine should be; rollcall makes it so and reads every fact back.");
  say.line();
  say.line(
    `Here are ${fleet.nodes.length} simulated Debian machines, each behind an SSH server of its own in this process:`,
  );
  say.line();
  for (const node of fleet.nodes) say.line(`  ${node.name.padEnd(10)}127.0.0.1:${node.port}`);
  say.line();
  say.line("and a copy of roster/ and host-roles/, the example fleet, with these addresses:");
  say.line();
  say.line(`  ${repository}`);
  say.line();
  say.line("The machines are simulated; rollcall, its SSH and its scripts are the real ones.");
}

function conclude(): void {
  say.title("That was the loop");
  say.line("declare (git) → compare → act (SSH) → read back. Where to go next:");
  say.line();
  say.line("  roster/, host-roles/       the fleet that you watched, to be read in five minutes");
  say.line("  README.md                  a fleet of your own, and every command");
  say.line("  npm start -- --stay        this fleet again, left running for you to type the commands yourself");
  say.line("  npm test                   what holds all this up; on Linux as root with real machines");
}

/** Nodes may still be at work for nobody; and whatever was cut off may have hidden the cursor. */
function leaveAtOnce(): never {
  if (process.stdout.isTTY) process.stdout.write("\u001b[?25h");
  process.exit();
}

/** Until Ctrl-C. */
function stay({ repository, keyFile }: Stage): Promise<void> {
  say.line();
  say.line("The machines stay up until Ctrl-C. In another terminal:");
  say.line();
  say.command(`  export ROLLCALL_SSH_KEY_FILE=${keyFile}`);
  say.command(`  alias rollcall='node ${join(here, "main.js")} -C ${repository}'`);
  return new Promise((resolve) => {
    interruption.signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The folder above that has a roster: of the repository, wherever in it this file was bundled to. */
function exampleFleet(from: string): string {
  if (existsSync(join(from, "roster", "fleet.yaml"))) return from;
  const above = dirname(from);
  if (above === from) throw new Error("there is no roster/fleet.yaml above this file");
  return exampleFleet(above);
}
