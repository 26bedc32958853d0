import type { ForgeAnswer, ForgeComment } from "../../model/forge.ts";
import { FORGE_BODY_LIMIT } from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Connection, Response } from "./connection.ts";
import { failed } from "./failure.ts";
import { type Identity, isMarked } from "./identity.ts";
import { lookFirst } from "./look-first.ts";
import { gather, hasNext, PER_PAGE } from "./paging.ts";

type Comments = Pick<Forge, "comments" | "findComment" | "createComment" | "updateComment" | "deleteComment" | "react">;

const LIST = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
const CREATE = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
const UPDATE = "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}";
const DELETE = "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}";
const REACT = "POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions";

export function comments(connection: Connection, identity: Identity): Comments {
  function list(number: number, since: Date | undefined, enough?: (found: readonly Dated[]) => boolean) {
    return as(identity, (me) =>
      gather(
        (page) =>
          connection.send(
            LIST,
            {
              issue_number: number,
              per_page: PER_PAGE,
              page,
              ...(since === undefined ? {} : { since: since.toISOString() }),
            },
            "always",
            ({ data, headers }) => ({ values: data.map((one) => dated(one, me)), more: hasNext(headers) }),
          ),
        enough,
      ),
    );
  }

  return {
    async comments(number) {
      return mapped(await list(number, undefined), (all) => all.map(({ comment }) => comment));
    },

    async findComment(number, mark) {
      const isIt = ({ comment }: Dated) => comment.ours && isMarked(comment.body, mark);
      const found = await list(number, undefined, (sofar) => sofar.some(isIt));
      return mapped(found, (all) => all.find(isIt)?.comment ?? null);
    },

    async createComment(number, body) {
      if (body.length > FORGE_BODY_LIMIT) return tooLong(body);
      return as(identity, (me) =>
        lookFirst(
          connection.pace,
          () =>
            connection.send(
              CREATE,
              { issue_number: number, body },
              "unless-lost",
              ({ data }) => dated(data, me).comment,
            ),
          async (since) =>
            mapped(await list(number, since), (all) => {
              const isIt = (one: Dated) => one.comment.ours && one.comment.body === body && one.createdAt >= since;
              return all.findLast(isIt)?.comment ?? null;
            }),
        ),
      );
    },

    async updateComment(id, body) {
      if (body.length > FORGE_BODY_LIMIT) return tooLong(body);
      return as(identity, (me) =>
        connection.send(UPDATE, { comment_id: id, body }, "always", ({ data }) => dated(data, me).comment),
      );
    },

    async deleteComment(id) {
      const answer = await connection.send(DELETE, { comment_id: id }, "always", () => null);
      return isMissing(answer) ? { kind: "ok", value: null } : answer;
    },

    react: (id, reaction) => connection.send(REACT, { comment_id: id, content: reaction }, "always", () => null),
  };
}

interface Dated {
  readonly comment: ForgeComment;
  readonly createdAt: Date;
}

function dated(raw: Response<typeof CREATE>["data"], me: string): Dated {
  const author = raw.user?.login ?? "ghost";
  const comment = { id: Number(raw.id), url: raw.html_url, author, ours: author === me, body: raw.body ?? "" };
  return { comment, createdAt: new Date(raw.created_at) };
}

/** Checked here as well: GitHub counts code points, which are never more than these. */
export function tooLong(body: string): ForgeAnswer<never> {
  return failed("too-large", `the text has ${body.length} characters; ${FORGE_BODY_LIMIT} are the most`);
}

export function isMissing(answer: ForgeAnswer<unknown>): boolean {
  return answer.kind === "failed" && (answer.code === "not-found" || answer.code === "gone");
}

export async function as<T>(
  identity: Identity,
  then: (me: string) => Promise<ForgeAnswer<T>>,
): Promise<ForgeAnswer<T>> {
  const me = await identity();
  return me.kind === "ok" ? then(me.value) : me;
}

export function mapped<A, B>(answer: ForgeAnswer<A>, to: (value: A) => B): ForgeAnswer<B> {
  return answer.kind === "ok" ? { kind: "ok", value: to(answer.value) } : answer;
}
