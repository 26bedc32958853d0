import {
  FORGE_PERMISSIONS,
  type ForgeAnswer,
  type ForgePermission,
  type OpenPullRequest,
  type PullRequest,
} from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";
import { isMissing, mapped } from "./comments.ts";
import type { Connection, Response } from "./connection.ts";
import { gather, hasNext, PER_PAGE } from "./paging.ts";

type PullRequests = Pick<Forge, "pullRequest" | "pullRequestsOf" | "openPullRequests" | "permission">;

const GET = "GET /repos/{owner}/{repo}/pulls/{pull_number}";
const LIST = "GET /repos/{owner}/{repo}/pulls";
const FILES = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files";
const OF_COMMIT = "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls";
const PERMISSION = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";

/** GitHub lists no more files of a pull request. */
const MOST_FILES = 3000;

export function pullRequests(connection: Connection): PullRequests {
  function files(number: number): Promise<ForgeAnswer<readonly string[]>> {
    return gather((page) =>
      connection.send(FILES, { pull_number: number, per_page: PER_PAGE, page }, "always", ({ data, headers }) => ({
        values: data.map((one) => [one.filename, ...(one.previous_filename ?? [])].flat()),
        more: hasNext(headers),
      })),
    ).then((answer) => mapped(answer, (all) => all.flat()));
  }

  return {
    pullRequest: (number) => connection.send(GET, { pull_number: number }, "always", ({ data }) => full(data)),

    pullRequestsOf: (commit) =>
      gather((page) =>
        connection.send(OF_COMMIT, { commit_sha: commit, per_page: PER_PAGE, page }, "always", ({ data, headers }) => ({
          values: data.map(brief),
          more: hasNext(headers),
        })),
      ),

    async openPullRequests(base, limit) {
      const open = await gather(
        (page) =>
          connection.send(
            LIST,
            { base, state: "open", sort: "created", direction: "desc", per_page: PER_PAGE, page },
            "always",
            ({ data, headers }) => ({ values: data.map(brief), more: hasNext(headers) }),
          ),
        (sofar) => sofar.length >= limit,
      );
      if (open.kind === "failed") return open;
      const found: OpenPullRequest[] = [];
      for (const { number, url, title, headSha } of open.value.slice(0, limit)) {
        const changed = await files(number);
        // Closed and deleted meanwhile by a fork that went away: it is no conflict any more.
        if (isMissing(changed)) continue;
        if (changed.kind === "failed") return changed;
        const names = [...new Set(changed.value)].sort();
        found.push({ number, url, title, headSha, files: names, complete: changed.value.length < MOST_FILES });
      }
      return { kind: "ok", value: found };
    },

    async permission(login) {
      const answer = await connection.send(PERMISSION, { username: login }, "always", ({ data }) => permissionOf(data));
      return answer.kind === "failed" && answer.code === "not-found" ? { kind: "ok", value: "none" } : answer;
    },
  };
}

/** `role_name` knows triage and maintain, and may be a role of the organisation's own, of which `permission` says the base. */
function permissionOf(raw: { permission: string; role_name: string }): ForgePermission {
  const known = (name: string) => FORGE_PERMISSIONS.find((one) => one === name);
  return known(raw.role_name) ?? known(raw.permission) ?? "none";
}

type Brief = Response<typeof LIST>["data"][number];

function brief(raw: Brief): PullRequest {
  return facts(raw, raw.merged_at !== null, null);
}

function full(raw: Response<typeof GET>["data"]): PullRequest {
  return facts(raw, raw.merged, raw.mergeable);
}

function facts(raw: Brief | Response<typeof GET>["data"], merged: boolean, mergeable: boolean | null): PullRequest {
  return {
    number: raw.number,
    url: raw.html_url,
    title: raw.title,
    state: merged ? "merged" : raw.state === "closed" ? "closed" : "open",
    draft: raw.draft ?? false,
    headSha: raw.head.sha,
    headBranch: raw.head.ref,
    baseSha: raw.base.sha,
    baseBranch: raw.base.ref,
    // A fork that was deleted leaves null, whatever the types say.
    fromFork: (raw.head.repo as { full_name: string } | null)?.full_name !== raw.base.repo.full_name,
    author: raw.user?.login ?? "ghost",
    authorType: raw.user?.type === "Bot" ? "bot" : "person",
    mergeable,
  };
}
