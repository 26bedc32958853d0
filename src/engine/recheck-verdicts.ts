import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { Heartbeat } from "../model/node-record.ts";
import { type DownStanding, downStanding } from "../plan/down-verdict.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import type { AuditScope } from "./audit-scope.ts";
import { inParallel } from "./in-parallel.ts";
import type { NodeWork } from "./node-work.ts";
import type { RunContext } from "./run-context.ts";

/** A down verdict after it was asked again (rollout-model §6). */
export interface AuditedVerdict {
  readonly node: string;
  readonly reason: string;
  readonly by: string;
  readonly since: string;
  /** `reachable`, or the line. */
  readonly recheck: string;
  readonly standing: Exclude<DownStanding["standing"], "none">;
  /** What it said just now; null: it was not asked, and `message` says why. */
  readonly asked: NonNullable<Heartbeat["recheck"]> | null;
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
}

interface Context {
  readonly record: ObservedRecord;
  readonly outcomes: readonly NodeOutcome[];
  readonly main: AuditScope["main"];
  readonly run: RunContext;
}

/** Asks every verdict of these nodes again: by what the look at the node came to, or by its line. */
export async function recheckVerdicts(
  works: readonly NodeWork[],
  context: Context,
): Promise<readonly AuditedVerdict[]> {
  const asked = works.filter(({ node }) => node.down !== null && node.state === "active" && node.enabled);
  return inParallel(asked, context.run.parallel, (work) => recheckOne(work, context));
}

async function recheckOne({ node }: NodeWork, context: Context): Promise<AuditedVerdict> {
  const { down, name } = node;
  if (down === null) throw new Error(`${name} has no verdict`);
  const { record, run } = context;
  const said = await ask(name, down.recheck, context);
  const before = record.heartbeats.get(name);
  const after = said.asked === null ? before : withRecheck(before, said.asked);
  const { standing } = downStanding(down, after, run.clock.now());
  if (standing === "none") throw new Error(`${name} has a verdict`);
  const { reason, by, since, recheck } = down;
  return { node: name, reason, by, since, recheck, standing, ...said, hint: hintOf(name, standing) };
}

async function ask(
  node: string,
  recheck: string,
  { outcomes, main, run }: Context,
): Promise<Pick<AuditedVerdict, "asked" | "message">> {
  const at = run.clock.now().toISOString();
  if (recheck === "reachable") {
    const outcome = outcomes.find((one) => one.node === node);
    if (outcome === undefined || outcome.outcome === "unsupported-os") {
      return { asked: null, message: "not asked: the node cannot be read" };
    }
    const passed = OUTCOMES[outcome.outcome].observed;
    const message = passed ? "it answers" : `${outcome.outcome}: ${run.secrets.redact(outcome.message)}`;
    return { asked: { at, passed, message: message.slice(0, 4000) }, message };
  }
  if (!main.is) return { asked: null, message: `not run: ${main.why}; its line is run from main only` };
  const { passed, message } = await main.recheck.run(recheck);
  const shown = run.secrets.redact(message);
  return { asked: { at, passed, message: shown }, message: shown };
}

function withRecheck(before: Heartbeat | undefined, recheck: NonNullable<Heartbeat["recheck"]>): Heartbeat {
  if (before !== undefined) return { ...before, recheck };
  return {
    observed_at: null,
    attempted_at: recheck.at,
    outcome: "unreachable",
    message: "",
    failing_since: null,
    recheck,
  };
}

function hintOf(node: string, standing: AuditedVerdict["standing"]): string {
  if (standing === "refuted") return `it is back: rollcall node up ${node}`;
  if (standing === "live") return "";
  return `it counts no more: rollcall node up ${node}, or say it again with rollcall node down ${node} --reason …`;
}
