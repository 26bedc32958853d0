import type { ForgeIssue } from "../../model/forge.ts";
import { FORGE_BODY_LIMIT } from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";
import { as, mapped, tooLong } from "./comments.ts";
import type { Connection, Parameters, Response } from "./connection.ts";
import { type Identity, isMarked } from "./identity.ts";
import { lookFirst } from "./look-first.ts";
import { gather, hasNext, PER_PAGE } from "./paging.ts";

type Issues = Pick<Forge, "findIssues" | "createIssue" | "updateIssue" | "ensureLabel">;

const LIST = "GET /repos/{owner}/{repo}/issues";
const CREATE = "POST /repos/{owner}/{repo}/issues";
const UPDATE = "PATCH /repos/{owner}/{repo}/issues/{issue_number}";
const LABEL = "POST /repos/{owner}/{repo}/labels";

export function issues(connection: Connection, identity: Identity): Issues {
  function list(query: Parameters<typeof LIST>) {
    return as(identity, (me) =>
      gather((page) =>
        connection.send(
          LIST,
          { ...query, sort: "created", direction: "asc", per_page: PER_PAGE, page },
          "always",
          ({ data, headers }) => ({
            // GitHub lists pull requests as issues.
            values: data.filter((one) => one.pull_request === undefined).map((one) => dated(one, me)),
            more: hasNext(headers),
          }),
        ),
      ),
    );
  }

  return {
    async findIssues({ label, mark, state }) {
      return mapped(await list({ labels: label, state }), (all) =>
        all.map(({ issue }) => issue).filter((one) => one.ours && (mark === null || isMarked(one.body, mark))),
      );
    },

    async createIssue({ title, body, labels }) {
      if (body.length > FORGE_BODY_LIMIT) return tooLong(body);
      return as(identity, (me) =>
        lookFirst(
          connection.pace,
          () =>
            connection.send(
              CREATE,
              { title, body, labels: [...labels] },
              "unless-lost",
              ({ data }) => dated(data, me).issue,
            ),
          async (since) =>
            mapped(await list({ state: "all", since: since.toISOString() }), (all) => {
              const isIt = ({ issue, createdAt }: Dated) =>
                issue.ours && issue.title === title && issue.body === body && createdAt >= since;
              return all.findLast(isIt)?.issue ?? null;
            }),
        ),
      );
    },

    async updateIssue(number, { labels, ...change }) {
      if (change.body !== undefined && change.body.length > FORGE_BODY_LIMIT) return tooLong(change.body);
      const relabelled = labels === undefined ? {} : { labels: [...labels] };
      return as(identity, (me) =>
        connection.send(
          UPDATE,
          { issue_number: number, ...change, ...relabelled },
          "always",
          ({ data }) => dated(data, me).issue,
        ),
      );
    },

    async ensureLabel(label) {
      const answer = await connection.send(LABEL, { ...label }, "always", () => null);
      const there =
        answer.kind === "failed" && answer.code === "validation" && answer.message.includes("already_exists");
      return there ? { kind: "ok", value: null } : answer;
    },
  };
}

interface Dated {
  readonly issue: ForgeIssue;
  readonly createdAt: Date;
}

function dated(raw: Response<typeof CREATE>["data"] | Response<typeof LIST>["data"][number], me: string): Dated {
  const author = raw.user?.login ?? "ghost";
  const issue: ForgeIssue = {
    number: raw.number,
    url: raw.html_url,
    title: raw.title,
    body: raw.body ?? "",
    state: raw.state === "closed" ? "closed" : "open",
    labels: raw.labels.flatMap((label) => (typeof label === "string" ? label : (label.name ?? []))),
    author,
    ours: author === me,
  };
  return { issue, createdAt: new Date(raw.created_at) };
}
