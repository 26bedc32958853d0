import type { ReconcileResult } from "../../engine/reconcile.ts";
import type { RoundEscape } from "../../engine/run-rollout.ts";
import { planFleet } from "../../plan/planner.ts";
import { readRecord } from "../../plan/read-record.ts";
import type { WorkflowRun } from "../../ports/workflow-run.ts";
import type { Clock, ObservedFiles, ObservedStore } from "../../ports.ts";
import { type MergeView, mergeSummary } from "../../render/merge-summary.ts";
import { type Companion, type FencedMerge, reconcileExit } from "../reconcile.ts";
import { EXIT, type Refusal } from "../result.ts";
import { type EscalationCheck, escalationCheck } from "./escalation-check.ts";
import { mergeRow } from "./merge-rows.ts";
import type { MergeTelling } from "./merge-telling.ts";
import type { Reporter } from "./reporter.ts";
import type { ReviewDoors } from "./reviews.ts";

export interface MergeReportDoors {
  readonly run: WorkflowRun;
  readonly reporter: Reporter;
  readonly telling: MergeTelling;
  readonly reviews: ReviewDoors;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** Why the run may do more than what was reviewed; null: it may not. */
  readonly accept: string | null;
}

/**
 * Goes along with a merge run (DESIGN §6): holds it against what was reviewed, and tells people from the record alone how it
 * stands whenever something was recorded. It runs beside the rollout, which never waits for it.
 */
export class MergeReport implements Companion {
  readonly #doors: MergeReportDoors;
  #merge: FencedMerge | null = null;
  #check: EscalationCheck | null = null;
  #result: ReconcileResult | null = null;
  #observed: ObservedFiles | null = null;
  #told: ObservedFiles | null = null;
  #telling: Promise<void> | null = null;
  /** The first word, which the rollout does not wait for either. */
  #begun: Promise<void> | null = null;

  constructor(doors: MergeReportDoors) {
    this.#doors = doors;
  }

  get check(): EscalationCheck | null {
    return this.#check;
  }

  get result(): ReconcileResult | null {
    return this.#result;
  }

  get merge(): FencedMerge | null {
    return this.#merge;
  }

  /** The same store; whatever is recorded through it is told. */
  watched(store: ObservedStore): ObservedStore {
    return {
      read: () => store.read(),
      publish: (edit) => store.publish(edit),
      lock: (request) => store.lock(request),
      record: async (edit, options) => {
        const answer = await store.record(edit, options);
        if (answer.kind === "recorded") this.#recorded(answer.files);
        return answer;
      },
    };
  }

  async judge(merge: FencedMerge): Promise<Refusal | { readonly escapes: ReadonlyMap<string, RoundEscape> }> {
    this.#merge = merge;
    const check = await escalationCheck(this.#doors.reviews, merge);
    this.#check = check;
    const { accept } = this.#doors;
    const { escalations } = check;
    if (escalations.length > 0 && accept === null) return refusalOf(check);
    if (merge.state.fleet.github.statuses)
      this.#begun = this.#doors.telling.status(merge.commit, "pending", "rollcall carries it out");
    const reason = accept ?? "";
    return { escapes: new Map(escalations.map(({ unit }) => [unit, { gate: "escalation", reason }])) };
  }

  ended(result: ReconcileResult): void {
    this.#result = result;
  }

  /** It ended in an exception, which is told elsewhere. */
  async broke(message: string): Promise<void> {
    await this.#telling;
    const { run, redact } = this.#doors;
    const todo = ["run this workflow again: it goes on from what is recorded"];
    await run.summary(redact(mergeSummary(this.#view({ standing: `broke: ${message}`, todo }))));
  }

  /** After the run, and after everything else was written. `standing`, `todo`: what it came to. */
  async finish(last: Pick<MergeView, "standing" | "todo">, refusal: Refusal | null): Promise<void> {
    await Promise.all([this.#begun, this.#telling]);
    const { reporter, run, telling, redact } = this.#doors;
    await run.summary(redact(mergeSummary(this.#view(last))));
    reporter.lastWords();
    if (refusal === null) await this.#lastNews();
    else if (refusal.code !== "locked") {
      const { escalations, notes, pullRequests } = this.#check ?? { escalations: [], notes: [], pullRequests: [] };
      const isEscalation = refusal.code === ESCALATION;
      await telling.refusal({ ...refusal, escalations, notes, run: run.url }, isEscalation ? pullRequests : []);
    }
    if (reporter.problems().length > 0) await run.summary(redact(mergeSummary(this.#view(last))));
  }

  async #lastNews(): Promise<void> {
    const { telling } = this.#doors;
    const [merge, result, files] = [this.#merge, this.#result, this.#observed];
    if (merge === null || result === null) return;
    const accepted = (this.#check?.escalations.length ?? 0) > 0 ? this.#doors.accept : null;
    const words = accepted === null ? "The merge was carried out." : `It was carried out; accepted: "${accepted}".`;
    await telling.resolved(words, this.#check?.pullRequests ?? []);
    const record = files === null ? merge.record : readRecord(files, NO_LIVE);
    await telling.rollouts(record, true);
    await telling.incidents(result);
    const { deployments, statuses } = merge.state.fleet.github;
    if (deployments) await telling.deployments(record, merge.commit);
    if (!statuses) return;
    const good = reconcileExit(result) === EXIT.ok;
    const open = result.units.filter(({ next }) => next !== "nothing" && next !== "observe").map(({ unit }) => unit);
    await telling.status(
      merge.commit,
      good ? "success" : "failure",
      good ? "all of it is in" : `open: ${open.join(", ")}`,
    );
  }

  #recorded(files: ObservedFiles): void {
    this.#observed = files;
    this.#telling ??= this.#tellNews().finally(() => {
      this.#telling = null;
    });
  }

  /** What is recorded while this is on its way is told by the next turn, and at the latest at the end. */
  async #tellNews(): Promise<void> {
    const { run, telling, redact } = this.#doors;
    while (this.#observed !== null && this.#observed !== this.#told) {
      this.#told = this.#observed;
      await run.summary(redact(mergeSummary(this.#view({ standing: "at work", todo: [] }))));
      await telling.rollouts(readRecord(this.#told, NO_LIVE), false);
    }
  }

  #view({ standing, todo }: Pick<MergeView, "standing" | "todo">): MergeView {
    const { accept, reporter, clock } = this.#doors;
    const [merge, check, files] = [this.#merge, this.#check, this.#observed];
    const record = files === null ? merge?.record : readRecord(files, NO_LIVE);
    const units = merge === null || record === undefined ? [] : planFleet(merge.state, record, clock.now()).units;
    const { escalations = [], moved = [], notes = [], pullRequests = [] } = check ?? {};
    return {
      generation: merge?.state.fleet.generation ?? null,
      commit: merge?.commit ?? null,
      ...{ standing, todo, escalations, moved, notes, pullRequests },
      rows: units.map(mergeRow),
      accepted: escalations.length > 0 ? accept : null,
      problems: reporter.problems(),
    };
  }
}

const ESCALATION = "escalation";

function refusalOf({ escalations, kind }: EscalationCheck): Refusal {
  const [first] = escalations;
  const more = escalations.length > 1 ? `, and ${escalations.length - 1} more` : "";
  return {
    code: ESCALATION,
    message: `the merge would do what nobody has reviewed: ${first?.text ?? kind}${more}`,
    hint: "revert it (rollcall revert), or look at what is new and run this workflow again with accept_escalation: why it may",
  };
}

const NO_LIVE: ObservedFiles = { commit: null, paths: [], read: () => undefined };
