import type { Workflow } from "./workflow-file.ts";

export interface WorkflowEvent {
  readonly name:
    | "push"
    | "pull_request"
    | "pull_request_target"
    | "merge_group"
    | "issue_comment"
    | "schedule"
    | "workflow_dispatch"
    | "workflow_run";
  readonly payload: Readonly<Record<string, unknown>>;
  /** `refs/heads/main`, `refs/pull/7/merge`, … */
  readonly ref: string;
  readonly sha: string;
  readonly actor: string;
  /** A pull request's branches. */
  readonly headRef?: string;
  readonly baseRef?: string;
  /** From a fork, or Dependabot's: GitHub gives a token that reads, and no secrets. */
  readonly untrusted?: boolean;
}

const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ["opened", "synchronize", "reopened"],
  pull_request_target: ["opened", "synchronize", "reopened"],
};

/** Whether GitHub starts the workflow. Filters by path are not played: a required check must not have any. */
export function starts(workflow: Workflow, event: WorkflowEvent): boolean {
  const filters = workflow.on[event.name];
  if (filters === undefined) return false;
  if ("paths" in filters || "paths-ignore" in filters)
    throw new Error(`${workflow.path}: the runner plays no filters by path`);
  const types = (filters.types ?? DEFAULT_TYPES[event.name]) as string | readonly string[] | undefined;
  const action = event.payload.action;
  if (types !== undefined && typeof action === "string" && ![types].flat().includes(action)) return false;
  const branch = event.baseRef ?? /^refs\/heads\/(.*)$/.exec(event.ref)?.[1];
  const wanted = filters.branches as readonly string[] | undefined;
  if (wanted !== undefined && (branch === undefined || !wanted.some((one) => matches(one, branch)))) return false;
  const unwanted = (filters["branches-ignore"] ?? []) as readonly string[];
  return branch === undefined || !unwanted.some((one) => matches(one, branch));
}

function matches(pattern: string, branch: string): boolean {
  const source = pattern
    .replace(/[.+^$()|{}\\]/g, "\\$&")
    .replace(/\*\*?/g, (stars) => (stars === "**" ? ".*" : "[^/]*"));
  return new RegExp(`^${source}$`).test(branch);
}

export type Permissions = Readonly<Record<string, "read" | "write" | "none">>;

/** GitHub's restricted default. */
const DEFAULT: Permissions = { contents: "read", packages: "read" };
const ALL = [
  "actions",
  "checks",
  "contents",
  "deployments",
  "id-token",
  "issues",
  "packages",
  "pages",
  "pull-requests",
  "repository-projects",
  "security-events",
  "statuses",
];

/** What a job's token may do: the job's own list, else the workflow's, else the default; what is not listed is none. */
export function permissionsOf(
  workflow: Workflow,
  job: { readonly permissions?: unknown },
  event: WorkflowEvent,
): Permissions {
  const declared = job.permissions ?? workflow.permissions;
  const all = (level: "read" | "write") => Object.fromEntries(ALL.map((name) => [name, level]));
  const given =
    declared === undefined
      ? DEFAULT
      : declared === "read-all"
        ? all("read")
        : declared === "write-all"
          ? all("write")
          : (declared as Permissions);
  const untrusted = event.untrusted === true && event.name !== "pull_request_target";
  if (!untrusted) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, level]) => [
      name,
      level === "write" ? (name === "id-token" ? "none" : "read") : level,
    ]),
  );
}

/** Whether the run is given the repository's secrets. */
export function givesSecrets(event: WorkflowEvent): boolean {
  return event.untrusted !== true || event.name === "pull_request_target" || event.name === "issue_comment";
}
