import { exampleOf } from "./contract.ts";
import type { Comment, Issue, World } from "./world.ts";

/** GitHub's own examples with our state laid over them. */
export type Answer = {
  readonly status: number;
  readonly data?: unknown;
  readonly list?: readonly unknown[];
  readonly key?: string;
};

export const ok = (data: unknown, status = 200): Answer => ({ status, data });
/** A page of it goes out; `key`: the property that holds it, beside a `total_count`. */
export const listed = (list: readonly unknown[], key?: string): Answer => ({
  status: 200,
  list,
  ...(key === undefined ? {} : { key }),
});
export const refused = (status: number, message: string, errors?: unknown): Answer => ({
  status,
  data: {
    message,
    documentation_url: "https://docs.github.com/rest",
    status: String(status),
    ...(errors === undefined ? {} : { errors }),
  },
});
export const notFound = (): Answer => refused(404, "Not Found");
export const invalid = (resource: string, field: string, code: string, message: string): Answer =>
  refused(422, "Validation Failed", [{ resource, field, code, message }]);

const iso = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");

export function userOf(world: World, login: string): Record<string, unknown> {
  const example = exampleOf("issue-comment").user as Record<string, unknown>;
  return { ...example, login, type: world.people.get(login)?.type ?? "User" };
}

export function commentOf(world: World, comment: Comment): unknown {
  return {
    ...exampleOf("issue-comment"),
    id: comment.id,
    html_url: `https://github.com/acme/fleet/issues/${comment.issue}#issuecomment-${comment.id}`,
    body: comment.body,
    user: userOf(world, comment.author),
    created_at: iso(comment.createdAt),
    updated_at: iso(comment.updatedAt),
  };
}

export function issueOf(world: World, issue: Issue): unknown {
  const { pull_request: link, ...example } = exampleOf("issue");
  return {
    ...example,
    ...(issue.pull === null ? {} : { pull_request: link }),
    number: issue.number,
    html_url: `https://github.com/acme/fleet/issues/${issue.number}`,
    title: issue.title,
    body: issue.body,
    state: issue.state,
    labels: issue.labels.map((name) => ({ ...exampleOf("label"), name })),
    user: userOf(world, issue.author),
    locked: issue.locked,
    created_at: iso(issue.createdAt),
    updated_at: iso(issue.updatedAt),
  };
}

/** `full`: as one is told by itself; else as in a list. */
export function pullOf(world: World, issue: Issue, full: boolean): unknown {
  const { pull } = issue;
  if (pull === null) throw new Error(`${issue.number} is no pull request`);
  const example = exampleOf(full ? "pull-request" : "pull-request-simple-items");
  const { head, base } = example as {
    head: { repo: Record<string, unknown> };
    base: { repo: Record<string, unknown> };
  };
  const headRepo = pull.headRepo === null ? null : { ...head.repo, full_name: pull.headRepo };
  return {
    ...example,
    number: issue.number,
    html_url: `https://github.com/acme/fleet/pull/${issue.number}`,
    title: issue.title,
    body: issue.body,
    state: issue.state,
    draft: pull.draft,
    requested_teams: [],
    user: userOf(world, issue.author),
    merged_at: pull.merged ? iso(issue.updatedAt) : null,
    ...(full ? { merged: pull.merged, mergeable: pull.mergeable } : {}),
    head: { ...head, sha: pull.headSha, ref: pull.headBranch, repo: headRepo },
    base: { ...base, sha: pull.baseSha, ref: pull.baseBranch, repo: { ...base.repo, full_name: "acme/fleet" } },
  };
}
