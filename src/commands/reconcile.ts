import { Ledger } from "../engine/ledger.ts";
import { type ReconcileResult, reconcile } from "../engine/reconcile.ts";
import { RoleDriver } from "../engine/role-driver.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { RoundEscape } from "../engine/run-rollout.ts";
import { secretValues } from "../engine/secret-values.ts";
import { boardOf } from "../plan/board.ts";
import { mergeFence } from "../plan/merge-fence.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import { planFleet } from "../plan/planner.ts";
import { fenceDamage } from "../plan/record-damage.ts";
import type { HeldLock, Lineage, ObservedStore, Repository } from "../ports.ts";
import { boardMarkdown } from "../render/board-markdown.ts";
import { renderReconcile } from "../render/reconcile.ts";
import { type MergedState, mergedState } from "./merged-state.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";
import type { OpenRun } from "./run-over-nodes.ts";
import { underLock } from "./under-lock.ts";

export interface ReconcileDoors {
  readonly repository: Repository;
  readonly open: OpenRun;
  /** Of the observed branch of that name. */
  readonly store: (branch: string) => ObservedStore;
  /** Somebody asked this process to end: the run ends before the next node, recorded. */
  readonly interrupted: () => boolean;
  /** Left out: nobody goes along. */
  readonly companion?: Companion;
}

/** Who goes along with a merge run, to judge it and to tell others of it (DESIGN §6). */
export interface Companion {
  /** After the fence, before any node and any record: why it must not begin, or the gates that it goes past, by unit. */
  judge(merge: FencedMerge): Promise<Refusal | { readonly escapes: ReadonlyMap<string, RoundEscape> }>;
  /** It came to this. */
  ended(result: ReconcileResult): void;
}

/** A merge that the generation's fence lets through. */
export interface FencedMerge extends MergedState {
  readonly record: ObservedRecord;
  /** What was last begun; null: nothing was. */
  readonly recorded: ObservedRecord["reconciled"];
  readonly lineage: Lineage;
}

export interface ReconcileOptions {
  /** Milliseconds; null: as long as it takes. */
  readonly budgetMs: number | null;
  /** Take the lock from who has it. */
  readonly takeOverLock: boolean;
  readonly reason: string | null;
  /** Who has the lock, and who stands behind the events. */
  readonly holder: string;
  readonly actor: string;
}

/**
 * `reconcile`: the merge run (DESIGN §3.1, §3.4). Under the fleet's lock, and of main only. 0 all that is due is in, or nothing
 * is · 1 something failed, stands still, nobody could be attempted, or the run ended early · 2 refused before any node was touched.
 */
export async function runReconcile(doors: ReconcileDoors, options: ReconcileOptions): Promise<CommandResult> {
  const { takeOverLock, holder, reason } = options;
  if (takeOverLock && (reason ?? "").trim() === "") {
    const hint = 'say how you know that its holder is gone: --take-over-lock --reason "…"';
    return refused({ code: "reason-missing", message: "--take-over-lock needs --reason", hint }, EXIT.usage);
  }
  const before = await mergedState(doors.repository);
  if (isAnswer(before)) return before;
  const { observedBranch, rollout } = before.state.fleet;
  const run = doors.open(rollout.parallel);
  const store = doors.store(observedBranch);
  const wish = { holder, runId: run.runId, takeOver: takeOverLock ? reason : null };
  return underLock(store, wish, async (lock, tookOver) => {
    // Only now nobody else carries out another commit: what was read before the lock counts no more.
    const merged = await mergedState(doors.repository);
    if (isAnswer(merged)) return merged;
    if (merged.state.fleet.observedBranch !== observedBranch) {
      const message = `observed_branch became ${merged.state.fleet.observedBranch} at this moment`;
      return refused({ code: "main-moved", message, hint: "run rollcall reconcile again" }, EXIT.refused);
    }
    const context = { ...run, lock, parallel: merged.state.fleet.rollout.parallel };
    return carryOut(doors, options, { merged, store, run: context, lock, tookOver });
  });
}

interface Locked {
  readonly merged: MergedState;
  readonly store: ObservedStore;
  readonly run: RunContext;
  readonly lock: HeldLock;
  readonly tookOver: string | null;
}

async function carryOut(
  { repository, interrupted, companion }: ReconcileDoors,
  { actor, budgetMs }: ReconcileOptions,
  { merged, store, run, lock, tookOver }: Locked,
): Promise<CommandResult> {
  const { state, commit } = merged;
  const ledger = await Ledger.open(store, {
    runId: run.runId,
    actor,
    clock: run.clock,
    secrets: run.secrets,
    lock,
    nodes: new Set(state.nodes.filter((node) => node.state === "active").map(({ name }) => name)),
    board: (record) => boardText(merged, record, run),
  });
  // An absent number is no fence: one that is merely illegible must not be taken for absent.
  const damage = fenceDamage(ledger.record, state.fleet.observedBranch);
  if (damage !== null) return refused(damage, EXIT.refused);
  const recorded = ledger.record.reconciled;
  const lineage = await repository.lineage(commit, recorded?.commit ?? null);
  const refusal = mergeFence(lineage, { generation: state.fleet.generation, commit }, recorded);
  if (refusal !== null) return refused(refusal, EXIT.refused);
  const secrets = await secretValues(state, run.secrets);
  if ("kind" in secrets) return refused(secrets, EXIT.refused);
  const judged = await companion?.judge({ ...merged, record: ledger.record, recorded, lineage });
  if (judged !== undefined && "code" in judged) return refused(judged, EXIT.refused);
  const escapes = judged?.escapes ?? new Map();
  const driver = new RoleDriver({ state, secrets, record: ledger.record });
  const request = { state, commit, actor, ledger, driver, budgetMs, marksReconciled: true, interrupted, escapes };
  const result = await reconcile(request, run);
  companion?.ended(result);
  const exitCode = reconcileExit(result);
  return {
    exitCode,
    document: { ...result, took_over: tookOver },
    text: (paint) => renderReconcile({ ...result, tookOver, exitCode }, paint),
  };
}

function boardText({ state, branch, commit }: MergedState, record: ObservedRecord, { clock }: RunContext): string {
  const desired = { source: "main" as const, branch, commit, unmerged: false };
  return boardMarkdown(boardOf(planFleet(state, record, clock.now()), { desired, record }));
}

/** What is not through is not green, whoever's fault it is (DESIGN §5). */
export function reconcileExit({ stopped, units }: Pick<ReconcileResult, "stopped" | "units">): number {
  const through = units.every(({ next }) => next === "nothing" || next === "observe");
  return stopped === null && through ? EXIT.ok : EXIT.failed;
}

function isAnswer(value: MergedState | CommandResult): value is CommandResult {
  return "exitCode" in value;
}
