import { applyRecorded, type RecordedApply } from "../engine/apply-recorded.ts";
import type { RefusedApply } from "../engine/apply-turns.ts";
import { Ledger } from "../engine/ledger.ts";
import { mergeFence } from "../plan/merge-fence.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import { fenceDamage } from "../plan/record-damage.ts";
import type { HeldLock, ObservedStore, Repository } from "../ports.ts";
import { renderRecordedApply } from "../render/apply.ts";
import type { Escape } from "../render/escapes.ts";
import { applyExit } from "./apply-exit.ts";
import type { Selection } from "./criteria.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";
import { type ChosenFleet, chosenFleet, type OpenRun } from "./run-over-nodes.ts";
import { underLock } from "./under-lock.ts";

interface LockedApply {
  readonly repository: Repository;
  readonly open: OpenRun;
  /** As the working tree has it. */
  readonly fleet: ChosenFleet;
  readonly selection: Selection;
  /** Not empty: what is applied is the working tree, not main. */
  readonly escapes: readonly Escape[];
  readonly store: (branch: string) => ObservedStore;
  readonly actor: string;
}

/** One apply at a time in a fleet: with the lock, main is read anew, and nothing else counts (DESIGN §3.6, §4). */
export async function applyUnderLock(apply: LockedApply): Promise<CommandResult> {
  const { fleet, actor } = apply;
  const { runId } = fleet.run;
  const store = apply.store(fleet.state.fleet.observedBranch);
  return underLock(store, { holder: `${actor}, apply`, runId, takeOver: null }, async (lock, tookOver) => {
    const current = apply.escapes.length > 0 ? { fleet, commit: null } : await fleetOfMain(apply);
    return "exitCode" in current ? current : run(apply, current, { store, lock, tookOver });
  });
}

interface Current {
  readonly fleet: ChosenFleet;
  readonly commit: string | null;
}

async function fleetOfMain({ repository, open, selection }: LockedApply): Promise<Current | CommandResult> {
  const main = await repository.main();
  const files = main === null ? undefined : await repository.at(main.commit);
  if (main === null || files === undefined) return refused(NO_MAIN, EXIT.refused);
  const fleet = await chosenFleet(files, open, selection, EXIT.refused);
  return "exitCode" in fleet ? fleet : { fleet, commit: main.commit };
}

interface Held {
  readonly store: ObservedStore;
  readonly lock: HeldLock;
  readonly tookOver: string | null;
}

async function run(apply: LockedApply, { fleet, commit }: Current, held: Held): Promise<CommandResult> {
  const { actor, escapes, repository, selection } = apply;
  const { state, secrets, works, view } = fleet;
  const locked = { ...fleet.run, lock: held.lock };
  const nodes = new Set(state.nodes.filter((node) => node.state === "active").map(({ name }) => name));
  const { runId, clock } = locked;
  const ledger = await Ledger.open(held.store, {
    runId,
    actor,
    clock,
    secrets: locked.secrets,
    lock: held.lock,
    nodes,
  });
  const stale = commit === null ? null : await fenced(repository, fleet, commit, ledger.record);
  if (stale !== null) return refused(stale, EXIT.refused);
  const named = namesOf(selection, fleet);
  const result = await applyRecorded({ state, secrets, works, named, commit, actor, ledger }, locked);
  if (result.kind === "refused") return refused(tooEarly(result), EXIT.refused);
  const { kind: _kind, despiteVerdict, unrecorded, ...document } = result;
  const told = { ...result, escapes, tookOver: held.tookOver };
  return {
    exitCode: recordedExit(result),
    document: { ...document, despite_verdict: despiteVerdict, unrecorded, escapes, left_out: view.leftOut },
    text: (paint) => renderRecordedApply(told, view, paint),
  };
}

/** What reconcile refuses to carry out (DESIGN §3.1), an apply does not either: it would take the fleet back by another door. */
async function fenced(
  repository: Repository,
  { state }: ChosenFleet,
  commit: string,
  record: ObservedRecord,
): Promise<Refusal | null> {
  const damage = fenceDamage(record, state.fleet.observedBranch);
  if (damage !== null) return damage;
  const lineage = await repository.lineage(commit, record.reconciled?.commit ?? null);
  return mergeFence(lineage, { generation: state.fleet.generation, commit }, record.reconciled);
}

/** Names that were written out, aliases too; a pattern names nobody. */
function namesOf({ nodes }: Selection, { state }: ChosenFleet): ReadonlySet<string> {
  const asked = new Set(nodes);
  const named = state.nodes.filter(({ name, aliases }) => asked.has(name) || aliases.some((alias) => asked.has(alias)));
  return new Set(named.map(({ name }) => name));
}

function recordedExit({ outcomes, held, stopped }: RecordedApply): number {
  const exit = applyExit(outcomes);
  if (exit !== EXIT.ok) return exit;
  return stopped !== null || held.length > 0 ? EXIT.failed : EXIT.ok;
}

function tooEarly({ held, first }: RefusedApply): Refusal {
  const [one] = held;
  const more = held.length > 1 ? ` (and ${held.length - 1} more)` : "";
  return {
    code: "wave",
    message: one === undefined ? "" : `${one.unit} on ${one.node}: ${one.why}${more}`,
    hint: `rollcall apply ${first.join(" ")}`.trim(),
  };
}

const NO_MAIN: Refusal = {
  code: "unmerged",
  message: "no main branch was found, so there is nothing that may be applied",
  hint: "create the branch main or fetch origin",
};
