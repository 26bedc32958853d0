import type { PullRequest } from "../../model/forge.ts";
import type { WorkflowEvent, WorkflowPayload } from "../../model/workflow-event.ts";
import type { Forge } from "../../ports/forge.ts";
import type { RemoteCommits } from "../../ports/remote-commits.ts";
import type { History } from "../../ports.ts";
import type { Refusal } from "../result.ts";

/** What is to be planned, and where it is told. */
export interface PullSubject {
  /** null: several at once, in a merge queue. */
  readonly number: number | null;
  /** Whose files are planned. */
  readonly merge: string;
  readonly base: string | null;
  readonly head: string;
  /** The branch that it goes into. */
  readonly into: string | null;
  /** Who tells the pull request: this run, the workflow that runs after it, or nobody. */
  readonly teller: "this-run" | "later-run" | "nobody";
  /** Sentences for the reader. */
  readonly notes: readonly string[];
}

export type SubjectAnswer =
  | { readonly kind: "subject"; readonly subject: PullSubject }
  /** Nothing is to be done, which is fine. */
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface SubjectDoors {
  readonly event: WorkflowEvent;
  readonly forge: Forge | null;
  readonly forgeProblem: string;
  readonly history: Pick<History, "commit">;
  readonly commits: Pick<RemoteCommits, "pullRequest">;
  /** Who started the run. */
  readonly actor: string;
}

/** `fromRun`: for a pull request whose own run may not write, after that run (DESIGN §6). */
export async function subjectOf(doors: SubjectDoors, fromRun: boolean): Promise<SubjectAnswer> {
  const { event } = doors;
  if (fromRun) {
    if (event.name === "workflow_run") return afterRun(event.payload.workflow_run, doors);
    return refusedAs(event, "workflow_run");
  }
  if (event.name === "pull_request") return ownRun(event.payload, doors);
  if (event.name === "merge_group") return mergeGroup(event.payload, doors);
  return refusedAs(event, "pull_request or merge_group");
}

const FORK =
  "The change comes from a fork: its files were read as data by the default branch's code, without keys and secrets.";
const BOT = "The change comes from a bot: its files were read as data, without keys and secrets.";

async function ownRun(payload: WorkflowPayload<"pull_request">, doors: SubjectDoors): Promise<SubjectAnswer> {
  const { number, pull_request: pull } = payload;
  if (pull.state === "closed") return { kind: "nothing", why: `pull request ${number} is closed` };
  const merge = await doors.history.commit("HEAD");
  if (merge === undefined) return { kind: "refused", refusal: NO_COMMIT };
  const fork = pull.head.repo?.full_name !== pull.base.repo?.full_name;
  // GitHub gives Dependabot's runs a token that cannot write, as it does to forks.
  const readOnly = fork || doors.actor === "dependabot[bot]";
  const bot = pull.user?.type === "Bot";
  return {
    kind: "subject",
    subject: {
      number,
      merge: merge.id,
      // Where the change itself is checked out, and not its trial merge, the payload says what it goes into.
      base: merge.id === pull.head.sha ? pull.base.sha : merge.firstParent,
      head: pull.head.sha,
      into: pull.base.ref,
      teller: readOnly ? "later-run" : "this-run",
      notes: [...(fork ? [FORK] : bot ? [BOT] : []), ...(pull.draft === true ? ["It is a draft."] : [])],
    },
  };
}

async function mergeGroup(payload: WorkflowPayload<"merge_group">, { history }: SubjectDoors): Promise<SubjectAnswer> {
  const { base_sha: base, head_sha: head } = payload.merge_group;
  const merge = await history.commit("HEAD");
  if (merge === undefined) return { kind: "refused", refusal: NO_COMMIT };
  const notes = ["This is the merge queue: the plan of all that would be merged together."];
  return {
    kind: "subject",
    subject: { number: null, merge: merge.id, base, head, into: null, teller: "nobody", notes },
  };
}

async function afterRun(
  run: WorkflowPayload<"workflow_run">["workflow_run"],
  doors: SubjectDoors,
): Promise<SubjectAnswer> {
  const { forge } = doors;
  if (forge === null) return noForge(doors);
  const found = await forge.pullRequestsOf(run.head_sha);
  if (found.kind === "failed") return { kind: "refused", refusal: found };
  // The run's own word about its pull request is not taken: it is empty for forks.
  const fits = (pull: PullRequest) =>
    pull.state === "open" && pull.headSha === run.head_sha && pull.headBranch === (run.head_branch ?? pull.headBranch);
  const pull = found.value.filter(fits).toSorted((a, b) => a.number - b.number)[0];
  if (pull === undefined) {
    return { kind: "nothing", why: `no open pull request has ${run.head_sha.slice(0, 7)} as its newest commit` };
  }
  if (!pull.fromFork && pull.authorType !== "bot") {
    return { kind: "nothing", why: `pull request ${pull.number} is told by its own run` };
  }
  return trialSubject(pull, doors.commits);
}

/** What an open pull request merges to, fetched as data; nothing where that is not of its newest commit, as with a conflict. */
export async function trialSubject(
  pull: PullRequest,
  commits: Pick<RemoteCommits, "pullRequest">,
): Promise<SubjectAnswer> {
  const { number, baseBranch: into } = pull;
  const trial = await commits.pullRequest(number);
  if ("problem" in trial) return { kind: "nothing", why: `pull request ${number}: ${trial.problem}` };
  if (trial.head !== pull.headSha) {
    const why = `pull request ${number} has moved on, or has conflicts: its trial merge is of ${trial.head.slice(0, 7)}`;
    return { kind: "nothing", why };
  }
  const whose = pull.fromFork ? [FORK] : pull.authorType === "bot" ? [BOT] : [];
  const notes = [...whose, ...(pull.draft ? ["It is a draft."] : [])];
  return { kind: "subject", subject: { number, ...trial, into, teller: "this-run", notes } };
}

function noForge({ forgeProblem }: SubjectDoors): SubjectAnswer {
  return { kind: "refused", refusal: { code: "no-forge", message: forgeProblem, hint: "see the step's environment" } };
}

const NO_COMMIT: Refusal = {
  code: "no-commit",
  message: "there is no commit here to plan",
  hint: "let actions/checkout check the change out before this step",
};

function refusedAs(event: WorkflowEvent, wanted: string): SubjectAnswer {
  const why = event.name === "unknown" ? event.why : `the event is ${event.name}`;
  const message = `${why}; this verb answers ${wanted}`;
  return {
    kind: "refused",
    refusal: { code: "event", message, hint: "call it from the workflow that it is made for" },
  };
}
