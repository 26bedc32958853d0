import type { ReconcileResult } from "../../engine/reconcile.ts";
import type { ForgeDeploymentState, ForgeStatusState } from "../../model/forge.ts";
import { OUTCOMES } from "../../model/node-outcome.ts";
import { foldRollout } from "../../plan/fold-rollout.ts";
import type { ObservedRecord } from "../../plan/observed-record.ts";
import {
  ESCALATION_MARK,
  escalationComment,
  type Incident,
  type IssueText,
  incidentIssue,
  incidentMark,
  REFUSAL_MARK,
  type RefusalView,
  readIncidentMark,
  readRolloutMark,
  refusalIssue,
  resolvedText,
  rolloutIssue,
} from "../../render/merge-issues.ts";
import type { KeptIssues } from "./kept-issues.ts";
import { isOver, rolloutView } from "./merge-rows.ts";
import type { Reporter } from "./reporter.ts";

export interface TellingDoors {
  readonly reporter: Reporter;
  readonly issues: KeptIssues;
  /** The run's page. */
  readonly page: string | null;
  /** Known once the run is open. */
  readonly runId: () => string;
  /** A text in which every secret of the run is masked. */
  readonly redact: (text: string) => string;
}

/** What a merge run writes on GitHub: issues, comments, and where it is set deployments and statuses (DESIGN §6). */
export class MergeTelling {
  readonly #doors: TellingDoors;

  constructor(doors: TellingDoors) {
    this.#doors = doors;
  }

  /** The tracking issue of every rollout that this run touched, and of those whose issue is still open. */
  async rollouts(record: ObservedRecord, last: boolean): Promise<void> {
    const touched = [...record.rollouts].flatMap(([id, events]) =>
      events.some(({ run_id, event }) => run_id === this.#doors.runId() && event !== "signal") ? [id] : [],
    );
    const open = (await this.#doors.issues.open()) ?? [];
    const marked = open.flatMap((mark) => {
      const read = readRolloutMark(mark);
      return read === undefined ? [] : [{ mark, ...read }];
    });
    for (const id of touched) if (newerOf(record, id) === undefined) await this.#rollout(record, id, last);
    for (const { mark, id, round } of marked) {
      const now = foldRollout(record.rollouts.get(id) ?? [])?.round;
      const later = newerOf(record, id);
      if (later !== undefined) await this.#close(mark, `${later} has taken its place.`);
      else if (now === round) {
        if (!touched.includes(id)) await this.#rollout(record, id, last);
      } else await this.#close(mark, now === undefined ? "The record has no such rollout." : `Round ${now} has begun.`);
    }
  }

  async #rollout(record: ObservedRecord, id: string, last: boolean): Promise<void> {
    const view = rolloutView(record, id, this.#doors.page);
    if (view === null) return;
    const state = isOver(view.state) ? "closed" : "open";
    await this.#keep(rolloutIssue(view), state, `the tracking issue of ${id}`, last);
  }

  async incidents(result: ReconcileResult): Promise<void> {
    const found = incidentsOf(result);
    for (const incident of found)
      await this.#keep(incidentIssue(incident, this.#doors.page), "open", `the incident of ${incident.node}`, true);
    const marks = new Set(found.map(incidentMark));
    const good = new Set(result.outcomes.filter(({ outcome }) => OUTCOMES[outcome].good).map(({ node }) => node));
    for (const mark of (await this.#doors.issues.open()) ?? []) {
      const incident = readIncidentMark(mark);
      if (incident === undefined || marks.has(mark) || !good.has(incident.node)) continue;
      await this.#close(mark, `${incident.node} was found in order.`);
    }
  }

  /** The run is refused: the issue says so, and a comment under each pull request that it is about. */
  async refusal(view: RefusalView, pullRequests: readonly { readonly number: number }[]): Promise<void> {
    const { reporter, redact } = this.#doors;
    await this.#keep(refusalIssue(view), "open", "the issue of the refusal", true);
    for (const { number } of pullRequests) {
      const body = redact(escalationComment(view));
      await reporter.tell(`the comment on #${number}`, async (forge) => {
        const before = await forge.findComment(number, ESCALATION_MARK);
        if (before.kind === "failed") return before;
        if (before.value === null) return forge.createComment(number, body);
        return before.value.body === body ? before : forge.updateComment(before.value.id, body);
      });
    }
  }

  /** The run goes on: what said that it is refused is over. */
  async resolved(words: string, pullRequests: readonly { readonly number: number }[]): Promise<void> {
    const { reporter, redact, page } = this.#doors;
    await this.#close(REFUSAL_MARK, words);
    for (const { number } of pullRequests) {
      const body = redact(resolvedText(ESCALATION_MARK, words, page));
      await reporter.tell(`the comment on #${number}`, async (forge) => {
        const before = await forge.findComment(number, ESCALATION_MARK);
        if (before.kind === "failed" || before.value === null) return before;
        return forge.updateComment(before.value.id, body);
      });
    }
  }

  async status(commit: string, state: ForgeStatusState, description: string): Promise<void> {
    const { reporter, page } = this.#doors;
    await reporter.tell("the commit's status", (forge) =>
      forge.commitStatus(commit, "rollcall", { state, description, url: page }),
    );
  }

  /** One for each rollout that this run touched. */
  async deployments(record: ObservedRecord, commit: string): Promise<void> {
    const { reporter, page, runId } = this.#doors;
    for (const [id, events] of record.rollouts) {
      const rollout = events.some(({ run_id }) => run_id === runId()) ? foldRollout(events) : null;
      if (rollout === null) continue;
      const description = `${id}, round ${rollout.round}: ${rollout.state}`;
      await reporter.tell(`the deployment of ${rollout.unit}`, async (forge) => {
        const wanted = { sha: commit, environment: "fleet", task: rollout.unit, description: rollout.unit };
        const made = await forge.deployment(wanted);
        if (made.kind === "failed") return made;
        return forge.deploymentStatus(made.value, { state: DEPLOYED[rollout.state], description, url: page });
      });
    }
  }

  async #close(mark: string, words: string): Promise<void> {
    if (!((await this.#doors.issues.open()) ?? []).includes(mark)) return;
    const body = resolvedText(mark, words, this.#doors.page);
    await this.#doors.issues.keep({ mark, title: null, body, state: "closed", what: "an issue that is over" }, true);
  }

  async #keep({ mark, title, body }: IssueText, state: "open" | "closed", what: string, last: boolean): Promise<void> {
    const { redact, issues } = this.#doors;
    await issues.keep({ mark, title: redact(title), body: redact(body), state, what }, last);
  }
}

/** A rollout of the same unit that was begun for a later generation: what failed before it is nobody's task any more. */
function newerOf({ rollouts }: ObservedRecord, id: string): string | undefined {
  const of = (one: string) => one.slice(0, one.lastIndexOf("@"));
  const generation = foldRollout(rollouts.get(id) ?? [])?.generation ?? 0;
  const others = [...rollouts.keys()].filter((one) => one !== id && of(one) === of(id));
  return others.find((one) => (foldRollout(rollouts.get(one) ?? [])?.generation ?? 0) > generation);
}

const DEPLOYED = {
  pending: "queued",
  running: "in_progress",
  paused: "in_progress",
  completed: "success",
  partial: "failure",
  failed: "failure",
  canceled: "inactive",
  rolled_back: "inactive",
  superseded: "inactive",
} as const satisfies Record<string, ForgeDeploymentState>;

const TODO = {
  fenced: "another run changes this node: see which runs are at work; this one let it be",
  "identity-mismatch":
    "see that the address leads to the machine that is meant; a reinstalled one needs its new machine_id in the roster",
  "duplicate-machine": "two nodes are one machine: mend the address of one of them, or take it out",
} as const;

function incidentsOf({ outcomes, unrecorded }: Pick<ReconcileResult, "outcomes" | "unrecorded">): readonly Incident[] {
  const seen = outcomes.flatMap(({ node, outcome, message }): Incident[] => {
    const todo = outcome in TODO ? TODO[outcome as keyof typeof TODO] : undefined;
    return todo === undefined ? [] : [{ node, code: outcome, message, todo }];
  });
  const lost = unrecorded.map((node) => ({
    node,
    code: "unrecorded",
    message: "it was changed, and the record does not say so, because it could not be written",
    todo: "mend what keeps the record from being written; the next run reads the node again",
  }));
  return [...new Map([...seen, ...lost].map((one) => [incidentMark(one), one])).values()];
}
