import { WORKFLOW_EVENTS } from "./events.ts";
import { type Exposure, exposures } from "./security-walk.ts";
import type { Job, Workflow } from "./workflow-file.ts";

/** What each job may write, whatever starts it; nothing that is not here. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  plan: ["pull-requests: write"],
  rollcall: [],
  reconcile: ["contents: write", "deployments: write", "issues: write", "pull-requests: write", "statuses: write"],
  audit: ["contents: write", "issues: write"],
  command: ["actions: write", "contents: write", "issues: write", "pull-requests: write"],
  live: ["issues: write", "pull-requests: write"],
  fork: ["pull-requests: write"],
};

/** The jobs with the key to the nodes. */
const WITH_KEY = new Set(["reconcile", "audit", "live"]);

/**
 * DESIGN §6: nothing that a pull request wrote runs with keys before it is merged. What is wrong with a workflow over all
 * events that can start it; empty: nothing.
 */
export async function securityProblems(workflow: Workflow, root: string): Promise<string[]> {
  const found = await Promise.all(WORKFLOW_EVENTS.map((event) => exposures(workflow, event, root)));
  const jobs = Object.entries(workflow.jobs);
  return [
    ...("pull_request_target" in workflow.on ? ["pull_request_target gives keys to what a stranger starts"] : []),
    ...(JSON.stringify(workflow.permissions) === "{}" ? [] : ["the workflow itself gives permissions"]),
    ...jobs.flatMap(([id, job]) => jobProblems(id, job)),
    ...found.flat().flatMap(exposureProblems),
  ];
}

function exposureProblems({ job, event, secrets, writes, runs, injections, trusted }: Exposure): string[] {
  const own = secrets.filter((name) => name !== "GITHUB_TOKEN");
  const theirs = runs.includes("pull-request");
  const allowed = trusted ? (WRITES[job] ?? []) : [];
  return [
    ...(theirs && own.length > 0 ? ["a pull request's words run with secrets"] : []),
    ...(own.length > 0 && !WITH_KEY.has(job) ? [`it sees ${own.join(", ")}`] : []),
    ...own.filter((name) => name !== "ROLLCALL_SSH_KEY").map((name) => `it sees ${name}`),
    ...(theirs && writes.some((one) => one !== "pull-requests: write") ? [`a pull request's words may ${writes}`] : []),
    ...(writes.some((one) => !allowed.includes(one)) ? [`it may ${writes.join(", ")}`] : []),
    ...runs.filter((code) => code === "unknown" || code === "unpinned-action").map((code) => `it runs ${code}`),
    ...injections.map((text) => `${text} is put into a script`),
  ].map((problem) => `${job} on ${event}: ${problem}`);
}

function jobProblems(id: string, job: Job): string[] {
  const keyed = JSON.stringify(job).includes("secrets.");
  const environment = typeof job.environment === "object" ? job.environment.name : job.environment;
  return [
    ...(job.permissions === undefined ? ["it does not say its permissions"] : []),
    ...(keyed !== WITH_KEY.has(id) ? [`the key is ${keyed ? "in it" : "missing"}`] : []),
    ...(WITH_KEY.has(id) !== (environment === "rollcall") ? ["key and environment do not go together"] : []),
    ...localActions(job),
  ].map((problem) => `${id}: ${problem}`);
}

/** An action of the repository is what the last checkout over its folder brought: that must be the default branch. */
function localActions({ steps }: Job): string[] {
  const refs = new Map<string, string>();
  return steps.flatMap(({ uses = "", with: inputs }) => {
    if (uses.startsWith("actions/checkout@")) refs.set(String(inputs?.path ?? "."), String(inputs?.ref ?? ""));
    if (!uses.startsWith("./")) return [];
    const folder = [...refs.keys()]
      .filter((path) => path === "." || uses.startsWith(`./${path}/`))
      .sort((a, b) => b.length - a.length)[0];
    const ref = folder === undefined ? undefined : refs.get(folder);
    return ref === `\${{ github.event.repository.default_branch }}` ? [] : [`${uses} is not the default branch's`];
  });
}
