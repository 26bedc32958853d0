import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import type { Selection } from "./commands/criteria.ts";
import { collect } from "./repeated-option.ts";

/** The verbs that go to nodes (DESIGN §5). */
export function addRunVerbs(program: Command, run: Verb): void {
  selecting(program.command("check").description("what differs between the nodes and the repository, read-only"))
    .option("--diff", "also how the content of files differs, where it may be shown", false)
    .action(async (nodes: string[], options: CheckFlags, command: Command) => {
      await run(command, async (folder) => {
        const { runCheck } = await import("./commands/check.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { withRun } = await import("./world.ts");
        const wanted = { ...selection(nodes, options), diff: options.diff };
        return withRun(folder, (context) => runCheck(gitRepository(folder), context, wanted));
      });
    });
  selecting(program.command("apply").description("make the nodes as the repository says, and read every fact back"))
    .option("--dry-run", "stop before anything is done", false)
    .option("--diff", "with --dry-run: also how the content of files would change", false)
    .option("--allow-unmerged", "apply what is not on the main branch; needs --reason", false)
    .option("--reason <text>", "why, for the record")
    .action(async (nodes: string[], options: ApplyFlags, command: Command) => {
      await run(command, async (folder) => {
        const { runApply } = await import("./commands/apply.ts");
        const { gitRepository } = await import("./adapters/git-repository.ts");
        const { withRun } = await import("./world.ts");
        const { dryRun, diff, allowUnmerged, reason = null } = options;
        const wanted = { ...selection(nodes, options), dryRun, diff, allowUnmerged, reason };
        const { actorName } = await import("./adapters/actor.ts");
        const { gitObservedStore } = await import("./adapters/observed/git-store.ts");
        const { systemClock } = await import("./adapters/system-clock.ts");
        const record = {
          store: (branch: string) => gitObservedStore(folder, { branch, clock: systemClock }),
          actor: await actorName(folder, process.env),
        };
        return withRun(folder, (context) => runApply(gitRepository(folder), context, wanted, record));
      });
    });
}

export interface SelectionFlags {
  readonly node?: readonly string[];
  readonly role?: readonly string[];
  readonly class?: readonly string[];
  readonly label?: readonly string[];
  readonly unit?: string;
}

interface CheckFlags extends SelectionFlags {
  readonly diff: boolean;
}

interface ApplyFlags extends SelectionFlags {
  readonly dryRun: boolean;
  readonly diff: boolean;
  readonly allowUnmerged: boolean;
  readonly reason?: string;
}

export function selecting(command: Command): Command {
  return command
    .argument("[nodes...]", "node names or aliases; all without any")
    .option("--node <pattern>", "nodes whose name fits, such as 'web-*'; repeat it for others", collect)
    .option("--class <class>", "only nodes of this class, or of another one given so", collect)
    .option("--label <key=value>", "only nodes with this label", collect)
    .option("--role <role>", "only this role, on the nodes that have it; repeat it for others", collect)
    .option("--unit <unit>", "only this unit, role:<name>");
}

export function selection(nodes: readonly string[], flags: SelectionFlags): Selection {
  const { node = [], role = [], class: classes = [], label = [], unit = null } = flags;
  return { nodes, patterns: node, roles: role, classes, labels: label, unit };
}
