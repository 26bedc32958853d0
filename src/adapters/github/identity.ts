import type { ForgeAnswer } from "../../model/forge.ts";
import type { Connection } from "./connection.ts";

/** The login that this run writes as, found out once. */
export type Identity = () => Promise<ForgeAnswer<string>>;

/** The author of what a workflow writes with its own token. No person can have a name with brackets. */
const WORKFLOW_AUTHOR = "github-actions[bot]";

/**
 * A workflow's token may not ask who it is (403), which is what tells it from a person's. `login` says it where neither
 * is right: the token of another app.
 */
export function identity(connection: Connection, login: string | undefined): Identity {
  let known: Promise<ForgeAnswer<string>> | undefined;
  async function ask(): Promise<ForgeAnswer<string>> {
    if (login !== undefined) return { kind: "ok", value: login };
    const answer = await connection.send("GET /user", {}, "always", ({ data }) => data.login);
    if (answer.kind === "failed" && answer.code === "forbidden") return { kind: "ok", value: WORKFLOW_AUTHOR };
    if (answer.kind === "failed") known = undefined;
    return answer;
  }
  return () => {
    known ??= ask();
    return known;
  };
}

/** Ours and marked (DESIGN §6): the mark is the first line, so that a quotation of it further down is no mark. */
export function isMarked(body: string, mark: string): boolean {
  return body === mark || body.startsWith(`${mark}\n`) || body.startsWith(`${mark}\r\n`);
}
