import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import type { NodeFlags } from "./commands/node-edit.ts";
import { addNodeWords } from "./program-node-words.ts";
import { collect } from "./repeated-option.ts";
import { wholeNumber } from "./whole-number.ts";

/** The verbs that change the repository, each guarded by the generation that the caller believes is current (DESIGN §3.1). */
export function addEditVerbs(program: Command, run: Verb): void {
  const node = program.command("node").description("change one node of the roster");
  addNodeWriter(node, run, "add", "a new node");
  addNodeWriter(
    node,
    run,
    "set",
    "change what a node's file says; key=value, labels.key=value, list+=item, list-=item",
  );
  node
    .command("remove")
    .description("remove a node from the roster")
    .argument("<name>")
    .requiredOption("--generation <n>", "the generation that is current", wholeNumber)
    .action(async (name: string, options: { generation: number }, command: Command) => {
      await run(command, async (folder) => {
        const { runNodeRemove } = await import("./commands/node-edit.ts");
        return runNodeRemove(await editor(folder), { name, generation: options.generation });
      });
    });
  addNodeWords(node, run);
  addRevert(program, run);
  program
    .command("generation")
    .description("the number that fences changes")
    .command("bump")
    .description("raise it, and change not one other byte")
    .option("--generation <n>", "only when this is the current one", wholeNumber)
    .option("--above <n>", "and above this, the base's number", wholeNumber)
    .action(async (options: { generation?: number; above?: number }, command: Command) => {
      await run(command, async (folder) => {
        const { runGenerationBump } = await import("./commands/generation.ts");
        const wanted = { generation: options.generation ?? null, above: options.above ?? null };
        return runGenerationBump(await editor(folder), wanted);
      });
    });
}

type WriterFlags = NodeFlags & { readonly generation: number };

function addNodeWriter(node: Command, run: Verb, verb: "add" | "set", description: string): void {
  node
    .command(verb)
    .description(description)
    .argument("<name>")
    .argument("[changes...]", "key=value, labels.key=value, roles+=edge, roles-=edge")
    .requiredOption("--generation <n>", "the generation that is current", wholeNumber)
    .option("--class <class>", "what kind of machine it is for canary purposes")
    .option("--os <os>", "linux, windows or macos")
    .option("--address <address>", "where it is reached")
    .option("--port <port>", "of its sshd")
    .option("--user <user>", "the login")
    .option("--become <how>", "sudo or none")
    .option("--jump <node>", "the node through which it is reached")
    .option("--machine-id <sha256>", "of its /etc/machine-id")
    .option("--enabled <boolean>", "true or false")
    .option("--state <state>", "active or retired")
    .option("--role <role>", "one more role; repeat it for others", collect)
    .option("--profile <profile>", "one more profile", collect)
    .option("--alias <alias>", "one more alias", collect)
    .option("--label <key=value>", "one more label", collect)
    .option("--var <key=value>", "one more variable", collect)
    .action(async (name: string, changes: string[], options: WriterFlags, command: Command) => {
      await run(command, async (folder) => {
        const { runNodeAdd, runNodeSet, wordsOf } = await import("./commands/node-edit.ts");
        const words = [...wordsOf(options), ...changes];
        const edit = { name, words, generation: options.generation };
        return verb === "add" ? runNodeAdd(await editor(folder), edit) : runNodeSet(await editor(folder), edit);
      });
    });
}

async function editor(folder: string) {
  const { desiredEditor } = await import("./adapters/desired-editor.ts");
  return desiredEditor(folder);
}

function addRevert(program: Command, run: Verb): void {
  program
    .command("revert")
    .description("prepare, in the working tree, that desired files go back, and bump")
    .argument("<what>", "a commit, or role:<name> back to what its last completed rollout had")
    .requiredOption("--generation <n>", "the generation that is current", wholeNumber)
    .action(async (what: string, options: { generation: number }, command: Command) => {
      await run(command, async (folder) => {
        const { runRevert } = await import("./commands/revert.ts");
        const { gitHistory } = await import("./adapters/git-history.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const doors = {
          repository: gitRepository(folder),
          history: gitHistory(folder),
          editor: await editor(folder),
          store: (branch: string) => gitObservedStore(folder, { branch, clock: systemClock }),
        };
        return runRevert(doors, { what, generation: options.generation });
      });
    });
}
