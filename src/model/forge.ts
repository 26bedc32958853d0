/** What the place where pull requests live (GitHub) says, in our words. Texts are untrusted: people of other repositories write them. */

export type ForgeAnswer<T> = { readonly kind: "ok"; readonly value: T } | ForgeFailure;

export type Answered<T> = Promise<ForgeAnswer<T>>;

export interface ForgeFailure {
  readonly kind: "failed";
  readonly code: ForgeFailureCode;
  /** One line; never holds the token. */
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
  /** Milliseconds after which it is worth trying again, where the forge says so. */
  readonly retryAfterMs?: number;
}

export type ForgeFailureCode =
  | "rate-limited"
  | "secondary-limit"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "gone"
  | "validation"
  | "server"
  /** No answer. Of a write without a second look (a dispatch) it is not known whether it was done. */
  | "network"
  | "too-large";

/** Most characters of a comment or issue. */
export const FORGE_BODY_LIMIT = 65_536;
/** Most characters of the description of a deployment's or commit's status. */
export const FORGE_DESCRIPTION_LIMIT = 140;

export interface ForgeComment {
  readonly id: number;
  readonly url: string;
  readonly author: string;
  /** Written by who this run writes as. */
  readonly ours: boolean;
  readonly body: string;
}

export interface ForgeIssue {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: "open" | "closed";
  readonly labels: readonly string[];
  readonly author: string;
  readonly ours: boolean;
}

export interface NewIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

export interface NewLabel {
  readonly name: string;
  /** Six hex digits. */
  readonly color: string;
  readonly description: string;
}

/** Absent fields stay as they are. */
export interface IssueChange {
  readonly title?: string;
  readonly body?: string;
  readonly state?: "open" | "closed";
  /** All of its labels from now on. */
  readonly labels?: readonly string[];
}

export interface IssueSearch {
  readonly label: string;
  /** The first line of the body, a hidden mark; null: any that is ours. */
  readonly mark: string | null;
  readonly state: "open" | "closed" | "all";
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly state: "open" | "closed" | "merged";
  readonly draft: boolean;
  readonly headSha: string;
  readonly headBranch: string;
  readonly baseSha: string;
  readonly baseBranch: string;
  /** The head is in another repository, or in one that is gone. */
  readonly fromFork: boolean;
  readonly author: string;
  readonly authorType: "person" | "bot";
  /** null: the forge has not found out yet. */
  readonly mergeable: boolean | null;
}

export interface OpenPullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly headSha: string;
  /** Sorted; old and new name of a renamed file. */
  readonly files: readonly string[];
  /** False: it changes more files than the forge lists. */
  readonly complete: boolean;
}

/** `none` also when there is no such user. Ordered by power. */
export const FORGE_PERMISSIONS = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type ForgePermission = (typeof FORGE_PERMISSIONS)[number];

/** DESIGN §6: who may signal. */
export function mayWrite(permission: ForgePermission): boolean {
  return FORGE_PERMISSIONS.indexOf(permission) >= FORGE_PERMISSIONS.indexOf("write");
}

export type ForgeReaction = "+1" | "-1" | "laugh" | "confused" | "heart" | "hooray" | "rocket" | "eyes";

/** Each part by itself, because a token may read some and not others. Read by `doctor --repo`. */
export interface RepositorySettings {
  readonly repository: ForgeAnswer<{
    readonly name: string;
    readonly defaultBranch: string;
    readonly private: boolean;
  }>;
  readonly actions: ForgeAnswer<{
    readonly enabled: boolean;
    readonly allowed: "all" | "local-only" | "selected" | null;
    readonly pinned: boolean | null;
  }>;
  readonly workflowToken: ForgeAnswer<{ readonly default: "read" | "write"; readonly mayApprove: boolean }>;
  /** Names, sorted; values are never told. */
  readonly secrets: ForgeAnswer<readonly string[]>;
  readonly environments: ForgeAnswer<readonly ForgeEnvironment[]>;
}

export interface ForgeEnvironment {
  readonly name: string;
  readonly reviewers: boolean;
  /** Only from protected branches, or from those that its policy names. */
  readonly branches: "all" | "protected" | "named";
}

/** What guards a branch: classic protection and rulesets together, and each as told. */
export interface BranchGuard {
  readonly branch: string;
  /** null: none of this kind. */
  readonly protection: ForgeAnswer<BranchProtection | null>;
  readonly rules: ForgeAnswer<BranchRules>;
}

export interface BranchProtection {
  /** Names of the required checks. */
  readonly checks: readonly string[];
  /** A pull request must be up to date with the base. */
  readonly upToDate: boolean;
  readonly reviews: number;
  readonly admins: boolean;
  readonly forcePush: boolean;
  readonly deletion: boolean;
  /** Who alone may push; null: everybody with write permission. */
  readonly pushers: readonly string[] | null;
}

/** Of all active rulesets that meet the branch. */
export interface BranchRules {
  readonly checks: readonly string[];
  readonly upToDate: boolean;
  readonly pullRequest: boolean;
  readonly reviews: number;
  readonly mergeQueue: boolean;
  /** Only who may bypass the ruleset can update, create or delete the branch, or push to it with force. */
  readonly noUpdate: boolean;
  readonly noCreation: boolean;
  readonly noDeletion: boolean;
  readonly noForcePush: boolean;
}

export type ForgeStatusState = "error" | "failure" | "pending" | "success";
export type ForgeDeploymentState = ForgeStatusState | "inactive" | "in_progress" | "queued";

export interface NewDeployment {
  readonly sha: string;
  readonly environment: string;
  /** Names what is deployed; the same sha, environment and task is the same deployment. */
  readonly task: string;
  readonly description: string;
}

export interface NewStatus<State> {
  readonly state: State;
  /** At most {@link FORGE_DESCRIPTION_LIMIT} characters; longer ones are cut. */
  readonly description: string;
  /** Where more is to be read; null: nowhere. */
  readonly url: string | null;
}

/** At most 25, each a text. */
export type WorkflowInputs = Readonly<Record<string, string>>;

export interface StartedRun {
  /** null: the forge did not say. */
  readonly run: number | null;
}
