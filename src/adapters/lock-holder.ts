import { hostname } from "node:os";

/** Who holds the fleet's lock, for people: who started the workflow and its run, else who at which machine. One line. */
export function holderText(actor: string, environment: NodeJS.ProcessEnv): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = environment;
  const isWorkflow = server !== undefined && repository !== undefined && run !== undefined;
  const where = isWorkflow ? `${server}/${repository}/actions/runs/${run}` : hostname();
  return `${actor}${isWorkflow ? ", " : "@"}${where}`.replace(/\p{Cc}+/gu, " ").slice(0, 200);
}
