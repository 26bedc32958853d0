import { FORGE_DESCRIPTION_LIMIT, type ForgeAnswer, type NewDeployment, type NewStatus } from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Connection } from "./connection.ts";
import { failed } from "./failure.ts";
import { lookFirst } from "./look-first.ts";

type Deployments = Pick<Forge, "deployment" | "deploymentStatus" | "commitStatus" | "dispatch">;

const LIST = "GET /repos/{owner}/{repo}/deployments";
const CREATE = "POST /repos/{owner}/{repo}/deployments";
const DEPLOYMENT_STATUS = "POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses";
const COMMIT_STATUS = "POST /repos/{owner}/{repo}/statuses/{sha}";
const DISPATCH = "POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches";

export function deployments(connection: Connection): Deployments {
  const find = ({ sha, environment, task }: NewDeployment): Promise<ForgeAnswer<number | null>> =>
    connection.send(LIST, { sha, environment, task, per_page: 1 }, "always", ({ data }) => idOf(data[0]));

  return {
    async deployment(wanted) {
      const there = await find(wanted);
      if (there.kind === "failed") return there;
      if (there.value !== null) return { kind: "ok", value: there.value };
      return lookFirst(
        connection.pace,
        () => create(connection, wanted),
        () => find(wanted),
      );
    },

    deploymentStatus: (id, { state, description, url }) =>
      connection.send(
        DEPLOYMENT_STATUS,
        // Other deployments of the environment stay active: a rollout of one unit says nothing of the others.
        {
          deployment_id: id,
          state,
          description: short(description),
          auto_inactive: false,
          ...(url === null ? {} : { log_url: url }),
        },
        "always",
        () => null,
      ),

    commitStatus: (sha, context, { state, description, url }) =>
      connection.send(
        COMMIT_STATUS,
        { sha, context, state, description: short(description), ...(url === null ? {} : { target_url: url }) },
        "always",
        () => null,
      ),

    dispatch: (workflow, ref, inputs) =>
      connection.send(
        DISPATCH,
        { workflow_id: workflow, ref, inputs: { ...inputs }, ...RUN_DETAILS },
        "unless-lost",
        ({ data }) => ({ run: (data as { workflow_run_id?: number } | undefined)?.workflow_run_id ?? null }),
      ),
  };
}

/** `auto_merge: false` and no required contexts: else GitHub merges branches, or answers 409 while checks run. */
async function create(connection: Connection, wanted: NewDeployment): Promise<ForgeAnswer<number>> {
  const { sha, environment, task, description } = wanted;
  const answer = await connection.send(
    CREATE,
    { ref: sha, environment, task, description: short(description), auto_merge: false, required_contexts: [] },
    "unless-lost",
    ({ data }) => ("id" in data ? idOf(data) : null),
  );
  if (answer.kind === "failed") return answer;
  return answer.value === null
    ? failed("validation", "GitHub merged a branch in place of a deployment")
    : { kind: "ok", value: answer.value };
}

const idOf = (raw: { id: number | bigint } | undefined): number | null => (raw === undefined ? null : Number(raw.id));

/** Answers with the run that began; newer than the library's types. */
const RUN_DETAILS: object = { return_run_details: true };

function short(text: NewStatus<string>["description"]): string {
  return text.length <= FORGE_DESCRIPTION_LIMIT ? text : `${text.slice(0, FORGE_DESCRIPTION_LIMIT - 1)}…`;
}
