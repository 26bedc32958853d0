import type { WorkflowEvent } from "./event.ts";

const sha = "a".repeat(40);
const repository = { full_name: "acme/fleet", default_branch: "main" };
const main = { ref: "refs/heads/main", sha, actor: "octocat" };
const pullRequest = (fork: boolean) => ({
  number: 7,
  head: { sha: "b".repeat(40), ref: "topic", repo: { full_name: fork ? "mallory/fleet" : "acme/fleet", fork } },
  base: { sha, ref: "main", repo: { full_name: "acme/fleet" } },
  title: 'a "title" $(touch /pwned)',
});

/** One of each that the workflows answer; change what the test is about. */
export const EVENTS = {
  push: { ...main, name: "push", payload: { repository, before: "0".repeat(40), after: sha } },
  pullRequest: {
    name: "pull_request",
    ref: "refs/pull/7/merge",
    sha,
    actor: "octocat",
    headRef: "topic",
    baseRef: "main",
    payload: { repository, action: "opened", number: 7, pull_request: pullRequest(false) },
  },
  forkPullRequest: {
    name: "pull_request",
    ref: "refs/pull/7/merge",
    sha,
    actor: "mallory",
    headRef: "topic",
    baseRef: "main",
    untrusted: true,
    payload: { repository, action: "opened", number: 7, pull_request: pullRequest(true) },
  },
  mergeGroup: {
    ...main,
    name: "merge_group",
    ref: "refs/heads/gh-readonly-queue/main/pr-7",
    payload: {
      repository,
      action: "checks_requested",
      merge_group: { head_sha: sha, base_sha: "c".repeat(40), base_ref: "refs/heads/main" },
    },
  },
  issueComment: {
    ...main,
    name: "issue_comment",
    payload: {
      repository,
      action: "created",
      issue: { number: 7, pull_request: {} },
      comment: { id: 1001, body: "/rollcall plan --live", user: { login: "octocat" } },
    },
  },
  schedule: { ...main, name: "schedule", payload: { schedule: "17 * * * *" } },
  workflowDispatch: { ...main, name: "workflow_dispatch", payload: { repository, inputs: {} } },
  /** After the run of a fork's pull request. */
  workflowRun: {
    ...main,
    name: "workflow_run",
    payload: {
      repository,
      action: "completed",
      workflow_run: {
        id: 77,
        event: "pull_request",
        head_sha: "b".repeat(40),
        head_branch: "topic",
        head_repository: { full_name: "mallory/fleet" },
        actor: { login: "mallory" },
        pull_requests: [],
      },
    },
  },
} as const satisfies Record<string, WorkflowEvent>;

export const WORKFLOW_EVENTS: readonly WorkflowEvent[] = Object.values(EVENTS);
