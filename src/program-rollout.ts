import { type Command, InvalidArgumentError } from "commander";
import type { Verb } from "./answer.ts";
import type { Word } from "./commands/rollout-signal.ts";
import type { RolloutDoors } from "./commands/rollout-view.ts";

/** Reading rollouts, and speaking to them (DESIGN §3.4, §5). */
export function addRolloutVerbs(program: Command, run: Verb): void {
  const rollout = program.command("rollout").description("a unit on its way through its waves");
  rollout
    .command("list")
    .description("a line for each rollout that main asks for or that has not ended")
    .option("--all", "also those that are history", false)
    .action(async (options: { all: boolean }, command: Command) => {
      await run(command, async (folder) => {
        const { runRolloutList } = await import("./commands/rollout-read.ts");
        return runRolloutList(await rolloutDoors(folder), options);
      });
    });
  addReader(rollout, run, "get", "its folded state as one document");
  addReader(rollout, run, "status", "where it stands, what it waits for, what to type next");
  addReader(rollout, run, "nodes", "a line for each node");
  for (const [word, description] of Object.entries(WORDS)) addWord(rollout, run, word as Word["say"], description);
}

const WORDS: Readonly<Record<Word["say"], string>> = {
  start: "a new round of one that has ended, with all that is due",
  pause: "no further wave begins",
  resume: "a paused one goes on; what failed in its wave is tried again",
  cancel: "it ends here; what is done stays done",
  force: "open the gate it stands at without proof; needs --reason",
  skip: "pass nodes over; needs --reason",
  rollback: "refused for roles: rollcall revert prepares the change",
  retry: "try again what failed, or the nodes named",
  "approve-canary": "for strategies that wait for it; none of roles does",
};

function addReader(rollout: Command, run: Verb, verb: "get" | "status" | "nodes", description: string): void {
  rollout
    .command(verb)
    .description(description)
    .argument("<unit>", UNIT)
    .action(async (unit: string, _options: object, command: Command) => {
      await run(command, async (folder) => {
        const read = await import("./commands/rollout-read.ts");
        const verbs = { get: read.runRolloutGet, status: read.runRolloutStatus, nodes: read.runRolloutNodes };
        return verbs[verb](await rolloutDoors(folder), unit);
      });
    });
}

const UNIT = "role:<name>, or one rollout of it, role:<name>@<digest>";

interface WordFlags {
  readonly reason?: string;
  readonly by?: string;
  readonly acceptAlreadyTrue?: boolean;
}

function addWord(rollout: Command, run: Verb, say: Word["say"], description: string): void {
  const command = rollout.command(say).description(description).argument("<unit>", UNIT);
  if (say === "skip" || say === "retry") command.argument(say === "skip" ? "<nodes...>" : "[nodes...]", "their names");
  if (say === "resume") command.option("--accept-already-true", "what was already true counts; needs --reason", false);
  command
    .option("--reason <text>", "why, for the record")
    .option("--by <name>", "who says it; else who runs this", oneName)
    .action(async (unit: string) => {
      await run(command, async (folder) => {
        const { reason = null, by, acceptAlreadyTrue = false } = command.opts<WordFlags>();
        const { runRolloutSignal } = await import("./commands/rollout-signal.ts");
        const { newRunId, systemClock } = await import("./adapters/system-clock.ts");
        const { actorName } = await import("./adapters/actor.ts");
        const who = by ?? (await actorName(folder, process.env));
        const nodes = command.args.slice(1);
        const word = { unit, say, nodes, reason, acceptAlreadyTrue, by: who, runId: newRunId(systemClock.now()) };
        return runRolloutSignal(await rolloutDoors(folder), word);
      });
    });
}

async function rolloutDoors(folder: string): Promise<RolloutDoors> {
  const { gitRepository } = await import("./adapters/git-repository.ts");
  const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
  const { systemClock } = await import("./adapters/system-clock.ts");
  const store = (branch: string) => gitObservedStore(folder, { branch, clock: systemClock });
  return { repository: gitRepository(folder), store, clock: systemClock };
}

function oneName(text: string): string {
  if (/^[^\p{Cc}]{1,200}$/u.test(text.trim())) return text.trim();
  throw new InvalidArgumentError("It must be one line of at most 200 characters.");
}
