import type { DesiredState } from "../desired/desired-state.ts";
import { type Draft, readDraft } from "../desired/draft.ts";
import { generationFence } from "../desired/generation-fence.ts";
import { judgeDraft, loadDesired } from "../desired/load-desired.ts";
import { roleVersions } from "../desired/role-versions.ts";
import { olderCommits, planItems, visitsOf } from "../engine/plan-items.ts";
import type { PredictionInput } from "../engine/prediction.ts";
import { sourceOf } from "../engine/role-grounds.ts";
import type { RunContext } from "../engine/run-context.ts";
import { secretValues } from "../engine/secret-values.ts";
import { type Diagnostic, sortDiagnostics } from "../kit/diagnostic.ts";
import type { PlanDocument, PlanFinding } from "../model/plan-document.ts";
import { assemblePlan, blockedPlan } from "../plan/assemble-plan.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import { planFleet } from "../plan/planner.ts";
import { readRecord } from "../plan/read-record.ts";
import { damageHint } from "../plan/record-damage.ts";
import type {
  Clock,
  DesiredFiles,
  History,
  ObservedFiles,
  ObservedStore,
  Repository,
  RepositoryStanding,
  Simulator,
} from "../ports.ts";
import { EXIT, type Refusal } from "./result.ts";

export interface PlanDoors {
  readonly repository: Repository;
  readonly history: Pick<History, "commit">;
  /** Of the observed branch of that name. Asked for only where there is git history. */
  readonly store: (branch: string) => Pick<ObservedStore, "read">;
  readonly simulator: Simulator;
  readonly clock: Clock;
  /** Asks nodes: `--live`. null: nothing is contacted. */
  readonly open: ((parallel: number) => RunContext) | null;
}

export interface PlanWish {
  /** What nodes are taken to be at; null: what was last reconciled. */
  readonly base: string | null;
  /** Milliseconds between scheduled runs, for who knows them. */
  readonly scheduleMs: number | null;
}

/** A plan, and what it was made from, for who goes on with it; without a state it is blocked. */
export interface Planned {
  readonly document: PlanDocument;
  readonly made: MadeFrom | null;
}

interface MadeFrom {
  readonly state: DesiredState;
  readonly input: PredictionInput;
  readonly observed: ObservedFiles;
  readonly live: ObservedFiles;
  readonly standing: RepositoryStanding;
}

export type PlanAnswer = Planned | { readonly refusal: Refusal; readonly exitCode: number };

/** More old commits than these are not read: what is older than them all is shown as unknown. */
const MOST_COMMITS = 8;

/**
 * `plan.v1` of the working tree (DESIGN §5, §6): from git and the record alone, unless nodes may be asked. Repository files
 * that are not valid, or a number that is stale against the base, are in its `blocks`.
 */
export async function planDocumentOf(doors: PlanDoors, wish: PlanWish): Promise<PlanAnswer> {
  const { repository } = doors;
  const files = await repository.workingTree();
  const draft = readDraft(files);
  const judged = judgeDraft(draft);
  const standing = await repository.standing();
  const baseFiles = wish.base === null ? undefined : await repository.at(wish.base);
  if (wish.base !== null && baseFiles === undefined) return { refusal: unknownBase(wish.base), exitCode: EXIT.usage };
  const diagnostics = sortDiagnostics([...judged.diagnostics, ...againstBase(baseFiles, files, draft)]);
  const blocks = diagnostics.filter(({ severity }) => severity === "error").map(findingOf);
  const warnings = diagnostics.filter(({ severity }) => severity === "warning").map(findingOf);
  const head = { commit: standing.dirty.length === 0 ? standing.head : null, generation: judged.generation };
  const { state } = judged;
  if (state === null) return { document: blockedPlan(head, blocks, warnings), made: null };
  const store = standing.head === null ? null : doors.store(state.fleet.observedBranch);
  const { observed, live } = store === null ? { observed: NONE, live: NONE } : await store.read();
  const record = readRecord(observed, live);
  const damaged = record.damaged.map(({ path, message }) => ({
    code: "damaged-record",
    message: `${path}: ${message}`,
    hint: damageHint(path, state.fleet.observedBranch),
    file: null,
    line: null,
  }));
  const base = await baseOf(doors, wish.base, baseFiles, record);
  const source = { blocks, warnings: [...warnings, ...damaged], head, scheduleMs: wish.scheduleMs };
  const answer = await planned(doors, { state, record, base, source });
  return "refusal" in answer
    ? answer
    : { document: answer.document, made: { state, input: answer.input, observed, live, standing } };
}

interface Base {
  readonly told: PlanDocument["base"];
  readonly state: DesiredState | null;
}

async function baseOf(
  { repository, history }: PlanDoors,
  asked: string | null,
  askedFiles: DesiredFiles | undefined,
  { reconciled }: ObservedRecord,
): Promise<Base> {
  const files = askedFiles ?? (reconciled === null ? undefined : await repository.at(reconciled.commit));
  const loaded = files === undefined ? null : loadDesired(files);
  if (asked === null) {
    const told = reconciled === null ? null : { commit: reconciled.commit, generation: reconciled.generation };
    return { told: told === null ? null : { ...told, source: "reconciled" }, state: loaded?.state ?? null };
  }
  const commit = (await history.commit(asked))?.id ?? null;
  const generation = loaded?.generation ?? null;
  return { told: generation === null ? null : { commit, generation, source: "asked" }, state: loaded?.state ?? null };
}

interface Making {
  readonly state: DesiredState;
  readonly record: ObservedRecord;
  readonly base: Base;
  readonly source: {
    readonly blocks: readonly PlanFinding[];
    readonly warnings: readonly PlanFinding[];
    readonly head: PlanDocument["head"];
    readonly scheduleMs: number | null;
  };
}

async function planned(
  { repository, simulator, clock, open }: PlanDoors,
  { state, record, base, source }: Making,
): Promise<
  | { readonly document: PlanDocument; readonly input: PredictionInput }
  | { readonly refusal: Refusal; readonly exitCode: number }
> {
  const now = clock.now();
  const plan = planFleet(state, record, now);
  const visits = visitsOf(plan);
  const head = sourceOf(state);
  const sources = [...(base.state === null ? [] : [sourceOf(base.state)]), head];
  for (const commit of olderCommits(visits, sources, record).slice(0, MOST_COMMITS)) {
    const files = await repository.at(commit);
    const older = files === undefined ? null : loadDesired(files).state;
    if (older !== null) sources.push(sourceOf(older));
  }
  const run = open?.(state.fleet.rollout.parallel) ?? null;
  const secrets = run === null ? null : await secretValues(state, run.secrets);
  if (secrets !== null && "kind" in secrets) return { refusal: secrets, exitCode: EXIT.refused };
  const live = run === null || secrets === null ? null : { run, secrets };
  const input = { head, sources, record, simulator, now };
  const { items, asked } = await planItems(visits, input, live);
  const document = assemblePlan({
    ...source,
    plan,
    state,
    record,
    now,
    base: base.told,
    baseState: base.state,
    items,
    asked: live === null ? null : asked,
  });
  return { document, input };
}

function againstBase(base: DesiredFiles | undefined, files: DesiredFiles, draft: Draft): readonly Diagnostic[] {
  return base === undefined ? [] : [...generationFence(base, files), ...roleVersions(base, draft)];
}

function findingOf({ code, message, hint, file, line }: Diagnostic): PlanFinding {
  return { code, message, hint, file, line };
}

const NONE: ObservedFiles = { commit: null, paths: [], read: () => undefined };

function unknownBase(base: string): Refusal {
  return {
    code: "unknown-base",
    message: `there is no commit ${base} here`,
    hint: "fetch it first; a clone with a depth holds only its newest commits",
  };
}
