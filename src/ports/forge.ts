import type * as forge from "../model/forge.ts";

/**
 * Where pull requests live (DESIGN §6). Every answer is a value and nothing here throws; limits are waited for only as long as
 * the adapter was told. A write whose answer was lost is looked for before it is made again. "Ours" is what has the mark as
 * its first line AND was written by who this run writes as.
 */
export interface Forge {
  /** Of an issue or pull request, oldest first, all of them. */
  comments(number: number): forge.Answered<readonly forge.ForgeComment[]>;
  /** The oldest comment that is ours; null: none. */
  findComment(number: number, mark: string): forge.Answered<forge.ForgeComment | null>;
  createComment(number: number, body: string): forge.Answered<forge.ForgeComment>;
  /** `gone` or `not-found` when somebody deleted it. */
  updateComment(id: number, body: string): forge.Answered<forge.ForgeComment>;
  /** Ok also when it is gone already. */
  deleteComment(id: number): forge.Answered<null>;
  react(commentId: number, reaction: forge.ForgeReaction): forge.Answered<null>;

  /** Ours only, oldest first, no pull requests. */
  findIssues(search: forge.IssueSearch): forge.Answered<readonly forge.ForgeIssue[]>;
  createIssue(issue: forge.NewIssue): forge.Answered<forge.ForgeIssue>;
  updateIssue(number: number, change: forge.IssueChange): forge.Answered<forge.ForgeIssue>;
  /** Makes the label where it is missing; `color` six hex digits. */
  ensureLabel(label: forge.NewLabel): forge.Answered<null>;

  permission(login: string): forge.Answered<forge.ForgePermission>;
  pullRequest(number: number): forge.Answered<forge.PullRequest>;
  /** Those that a commit of the base branch came from. */
  pullRequestsOf(commit: string): forge.Answered<readonly forge.PullRequest[]>;
  /** Newest first, at most `limit`, those into `base`, with what they change. */
  openPullRequests(base: string, limit: number): forge.Answered<readonly forge.OpenPullRequest[]>;

  settings(): Promise<forge.RepositorySettings>;
  /** Names of an environment's secrets, sorted; values are never told. */
  environmentSecrets(environment: string): forge.Answered<readonly string[]>;
  guard(branch: string): Promise<forge.BranchGuard>;

  /** The id of that deployment; made when there is none for its commit, environment and task. */
  deployment(deployment: forge.NewDeployment): forge.Answered<number>;
  deploymentStatus(id: number, status: forge.NewStatus<forge.ForgeDeploymentState>): forge.Answered<null>;
  commitStatus(sha: string, context: string, status: forge.NewStatus<forge.ForgeStatusState>): forge.Answered<null>;
  /** Starts a workflow, by file name. Never sent twice. */
  dispatch(workflow: string, ref: string, inputs: forge.WorkflowInputs): forge.Answered<forge.StartedRun>;
}
