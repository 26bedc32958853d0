import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workingTreeFiles } from "../../src/adapters/desired-files.ts";
import { answer } from "../../src/adapters/memory/answers.ts";
import { runSecrets } from "../../src/adapters/secrets/run-secrets.ts";
import { sshTransport } from "../../src/adapters/ssh/transport.ts";
import { newRunId, systemClock } from "../../src/adapters/system-clock.ts";
import { WHOLE_FLEET } from "../../src/commands/criteria.ts";
import { selectNodes } from "../../src/commands/select-nodes.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { apply } from "../../src/engine/apply.ts";
import { type CheckResult, check } from "../../src/engine/check.ts";
import type { NodeWork } from "../../src/engine/node-work.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import { secretValues } from "../../src/engine/secret-values.ts";
import type { DriftItem } from "../../src/model/drift-item.ts";
import type { NodeFacts } from "../../src/model/node-facts.ts";
import type { Observation, ProgressEvent } from "../../src/ports.ts";
import { type EmbeddedFleet, type EmbeddedNodePlan, startEmbeddedFleet } from "./fleet.ts";
import { copyFleetRepository } from "./fleet-repository.ts";

/** An embedded fleet with the repository that declares it, driven by the real engine over the real ssh adapter. */
export interface Trial {
  readonly fleet: EmbeddedFleet;
  check(...nodes: string[]): Promise<CheckResult>;
  apply(...nodes: string[]): Promise<CheckResult>;
  /** What a node answers to all that its roles ask: over SSH, and by the model behind its shell. */
  observe(node: string): Promise<{ readonly answered: Observation; readonly model: NodeFacts }>;
  /** Of the last run. */
  readonly progress: readonly ProgressEvent[];
  close(): Promise<void>;
}

/** `repository`: the fleet repository whose nodes are embedded; their addresses are put in a copy. */
export async function startTrial(repository: string, plans: readonly EmbeddedNodePlan[]): Promise<Trial> {
  const fleet = await startEmbeddedFleet(plans);
  const folder = mkdtempSync(join(tmpdir(), "rollcall-embedded-"));
  const progress: ProgressEvent[] = [];
  copyFleetRepository(repository, folder, fleet.nodes);
  const { state, diagnostics } = loadDesired(await workingTreeFiles(folder));
  if (state === null) throw new Error(JSON.stringify(diagnostics, null, 2));
  const run = <Result>(names: readonly string[], work: Work<Result>) => {
    progress.length = 0;
    return withContext(
      folder,
      fleet,
      (event) => progress.push(event),
      async (context) => {
        return work(await worksFor(state, names, context), context);
      },
    );
  };
  return {
    fleet,
    progress,
    check: (...names) => run(names, check),
    apply: (...names) => run(names, (works, context) => apply(works, context, { dryRun: false })),
    observe: (name) =>
      run([name], async ([work], { transport }) => {
        if (work === undefined) throw new Error(`there is nothing to ask ${name}`);
        const answered = await transport.observe(work.target, work.questions);
        return { answered, model: answer(fleet.node(name).machine.node, work.questions) };
      }),
    close: async () => {
      await fleet.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Work<Result> = (works: readonly NodeWork[], context: RunContext) => Promise<Result>;

async function worksFor(state: DesiredState, nodes: readonly string[], context: RunContext) {
  const secrets = await secretValues(state, context.secrets);
  const selected = "kind" in secrets ? secrets : selectNodes(state, { ...WHOLE_FLEET, nodes }, secrets);
  if ("code" in selected) throw new Error(`${selected.code}: ${selected.message}`);
  return selected.works;
}

async function withContext<Result>(
  folder: string,
  fleet: EmbeddedFleet,
  onEvent: (event: ProgressEvent) => void,
  work: (context: RunContext) => Promise<Result>,
): Promise<Result> {
  const environment = { ROLLCALL_SSH_KEY: fleet.clientKey.privateKey };
  const transport = await sshTransport({ knownHostsFile: join(folder, "roster", "known_hosts"), environment });
  const secrets = runSecrets({ root: folder, environment });
  const progress = { event: onEvent, end: () => {} };
  const runId = newRunId(systemClock.now());
  try {
    return await work({ runId, transport, secrets, clock: systemClock, progress, parallel: 50 });
  } finally {
    await transport.close();
  }
}

/** `verb resource`, with what rides on the verb: what a person would read. */
function brief({ action_to_apply: { verb, params }, resource, severity }: DriftItem): string {
  const riders = ["enable", "restart", "reload"].filter((rider) => params[rider] === true && rider !== verb);
  return `${severity === "drift" ? "" : `${severity} `}${[verb, ...riders].join("+")} ${resource.id}`;
}

/** Items of one node in one stage, `before` where a check has but one. */
export function itemsOf(result: CheckResult, node: string, stage: "before" | "after" = "before"): string[] {
  const reports = result.reports.filter(({ host }) => host === node);
  return (reports.find((report) => report.stage === stage) ?? reports[0])?.items.map(brief) ?? [];
}

export function outcomes(result: CheckResult): Record<string, string> {
  return Object.fromEntries(result.outcomes.map(({ node, outcome }) => [node, outcome]));
}
