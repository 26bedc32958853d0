import { type Answer, commentOf, invalid, issueOf, listed, notFound, ok, pullOf, refused, userOf } from "./answers.ts";
import { exampleOf, type Operation } from "./contract.ts";
import { settingsRoutes } from "./settings-routes.ts";
import type { Issue, Token, World } from "./world.ts";

export interface Call {
  readonly world: World;
  readonly operation: Operation;
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: checked against the description before
  readonly body: any;
  readonly token: Token;
}

export interface Route {
  /** Any of these. Empty: every token may. */
  readonly needs: readonly string[];
  readonly answer: (call: Call) => Answer;
}

const COMMENTS = ["issues:write", "pull_requests:write"];
const READ = ["issues:read", "pull_requests:read"];

/** What GitHub does on an operation. The description's own checks of requests come before. */
export const ROUTES: Readonly<Record<string, Route>> = {
  ...settingsRoutes,
  "users/get-authenticated": {
    needs: [],
    answer: ({ world, token }) => {
      if (token.kind === "installation") return refused(403, "Resource not accessible by integration");
      const example = exampleOf("private-user-response-with-public-and-private-profile-information");
      return ok({ ...example, login: token.login, type: world.people.get(token.login)?.type ?? "User" });
    },
  },
  "issues/list-comments": {
    needs: READ,
    answer: ({ world, operation, query }) => {
      const number = Number(operation.path.issue_number);
      if (world.issues.get(number) === undefined) return notFound();
      const since = Date.parse(query.get("since") ?? "1970-01-01T00:00:00Z");
      const all = [...world.comments.values()].filter((one) => one.issue === number && one.updatedAt >= since);
      return listed(all.map((one) => commentOf(world, one)));
    },
  },
  "issues/create-comment": {
    needs: COMMENTS,
    answer: ({ world, operation, body, token }) => {
      const issue = world.issues.get(Number(operation.path.issue_number));
      return (
        written(issue, "IssueComment", body.body) ??
        ok(commentOf(world, world.comment((issue as Issue).number, token.login, body.body)), 201)
      );
    },
  },
  "issues/update-comment": {
    needs: COMMENTS,
    answer: ({ world, operation, body, token }) => {
      const comment = world.comments.get(Number(operation.path.comment_id));
      if (comment === undefined) return notFound();
      if (comment.author !== token.login) return refused(403, "Resource not accessible by integration");
      const problem = written(world.issues.get(comment.issue), "IssueComment", body.body);
      if (problem !== undefined) return problem;
      comment.body = body.body;
      comment.updatedAt = world.now;
      return ok(commentOf(world, comment));
    },
  },
  "issues/delete-comment": {
    needs: COMMENTS,
    answer: ({ world, operation }) =>
      world.comments.delete(Number(operation.path.comment_id)) ? { status: 204 } : notFound(),
  },
  "reactions/create-for-issue-comment": {
    needs: COMMENTS,
    answer: ({ world, operation, body, token }) => {
      const comment = Number(operation.path.comment_id);
      if (!world.comments.has(comment)) return notFound();
      const made = { comment, login: token.login, content: body.content as string };
      const there = world.reactions.some((one) => JSON.stringify(one) === JSON.stringify(made));
      if (!there) world.reactions.push(made);
      return ok(
        { ...exampleOf("reaction"), content: made.content, user: userOf(world, token.login) },
        there ? 200 : 201,
      );
    },
  },
  "issues/list-for-repo": {
    needs: READ,
    answer: ({ world, query }) => {
      const state = query.get("state") ?? "open";
      const labels = (query.get("labels") ?? "").split(",").filter((one) => one !== "");
      const since = Date.parse(query.get("since") ?? "1970-01-01T00:00:00Z");
      const found = [...world.issues.values()]
        .filter((one) => !one.deleted && (state === "all" || one.state === state) && one.updatedAt >= since)
        .filter((one) => labels.every((label) => one.labels.includes(label)));
      return listed(ordered(found, query).map((one) => issueOf(world, one)));
    },
  },
  "issues/create": {
    needs: ["issues:write"],
    answer: ({ world, body, token }) => {
      if ([...(body.body ?? "")].length > 65_536) return tooLong("Issue");
      for (const label of body.labels ?? []) world.labels.add(label);
      return ok(
        issueOf(
          world,
          world.issue(token.login, { title: body.title, body: body.body ?? null, labels: body.labels ?? [] }),
        ),
        201,
      );
    },
  },
  "issues/update": {
    needs: ["issues:write"],
    answer: ({ world, operation, body }) => {
      const issue = world.issues.get(Number(operation.path.issue_number));
      const problem = written(issue, "Issue", body.body ?? "");
      if (problem !== undefined || issue === undefined) return problem ?? notFound();
      Object.assign(issue, body, { updatedAt: world.now });
      return ok(issueOf(world, issue));
    },
  },
  "issues/create-label": {
    needs: ["issues:write"],
    answer: ({ world, body }) => {
      if (!/^[0-9a-f]{6}$/i.test(body.color ?? "ededed"))
        return invalid("Label", "color", "invalid", "color is invalid");
      if (world.labels.has(body.name))
        return refused(422, "Validation Failed", [{ resource: "Label", field: "name", code: "already_exists" }]);
      world.labels.add(body.name);
      return ok({ ...exampleOf("label"), name: body.name }, 201);
    },
  },
  "pulls/list": {
    needs: ["pull_requests:read"],
    answer: ({ world, query }) => {
      const state = query.get("state") ?? "open";
      const base = query.get("base");
      const found = [...world.issues.values()]
        .filter((one) => one.pull !== null && (state === "all" || one.state === state))
        .filter((one) => base === null || one.pull?.baseBranch === base);
      return listed(ordered(found, query).map((one) => pullOf(world, one, false)));
    },
  },
  "pulls/get": {
    needs: ["pull_requests:read"],
    answer: ({ world, operation }) => {
      const issue = world.issues.get(Number(operation.path.pull_number));
      return issue?.pull == null ? notFound() : ok(pullOf(world, issue, true));
    },
  },
  "pulls/list-files": {
    needs: ["pull_requests:read"],
    answer: ({ world, operation }) => {
      const issue = world.issues.get(Number(operation.path.pull_number));
      if (issue?.pull == null) return notFound();
      return listed(issue.pull.files.slice(0, 3000).map((one) => ({ ...exampleOf("diff-entry-items"), ...one })));
    },
  },
  "repos/list-pull-requests-associated-with-commit": {
    needs: ["pull_requests:read"],
    answer: ({ world, operation }) => {
      const found = [...world.issues.values()].filter((one) =>
        one.pull?.commits.includes(operation.path.commit_sha ?? ""),
      );
      return listed(found.map((one) => pullOf(world, one, false)));
    },
  },
  "repos/get-collaborator-permission-level": {
    needs: ["metadata:read"],
    answer: ({ world, operation }) => {
      const login = operation.path.username ?? "";
      const role = world.roles.get(login);
      if (role === undefined) return notFound();
      const example = exampleOf("repository-collaborator-permission-response-if-user-has-admin-permissions");
      return ok({ ...example, ...role, user: { ...userOf(world, login), role_name: role.role_name } });
    },
  },
};

function ordered(issues: Issue[], query: URLSearchParams): Issue[] {
  const sign = (query.get("direction") ?? "desc") === "asc" ? 1 : -1;
  return issues.sort((a, b) => sign * (a.number - b.number));
}

function written(issue: Issue | undefined, resource: string, body: string): Answer | undefined {
  if (issue === undefined) return notFound();
  if (issue.deleted) return refused(410, "This issue was deleted");
  if (issue.locked) return refused(403, "Unable to create comment because issue is locked.");
  return [...body].length > 65_536 ? tooLong(resource) : undefined;
}

const tooLong = (resource: string) =>
  invalid(resource, "body", "custom", "body is too long (maximum is 65536 characters)");
