import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { givesSecrets, permissionsOf, starts, type WorkflowEvent } from "./event.ts";
import { expressionsIn } from "./expressions.ts";
import type { Job, Step, Workflow } from "./workflow-file.ts";

/** Whose words run: what a pull request wrote, what is merged, the default branch's, or an action's at a commit or not. */
export type Code = "pull-request" | "base" | "default-branch" | "pinned-action" | "unpinned-action" | "unknown";

export interface Exposure {
  readonly workflow: string;
  readonly job: string;
  readonly event: string;
  readonly trusted: boolean;
  /** Names that the job's steps mention and the event gives; `*`: all of them, by toJSON(secrets) or the like. */
  readonly secrets: readonly string[];
  /** `contents: write`, … sorted; the token is in reach of every step. */
  readonly writes: readonly string[];
  readonly runs: readonly Code[];
  /** Untrusted text that is put into a script or into the name of a program. */
  readonly injections: readonly string[];
}

const UNTRUSTED =
  /github\s*\.\s*(event\s*\.\s*(issue|pull_request|comment|review|discussion|head_commit|commits|pages|merge_group|inputs)\b(?!\s*\.\s*(number|id|merged|draft|node_id|head\s*\.\s*sha|base\s*\.\s*sha|head_sha|base_sha)\b)|head_ref|ref_name|base_ref|actor|triggering_actor)|\binputs\s*\.|github\s*\[|toJSON\s*\(\s*github/i;

/** For each job that the event can start: what it sees and whose code it runs (DESIGN §6, first line). `root`: of the repository. */
export async function exposures(workflow: Workflow, event: WorkflowEvent, root: string): Promise<Exposure[]> {
  if (!starts(workflow, event)) return [];
  return Promise.all(Object.entries(workflow.jobs).map(([id, job]) => exposure(workflow, id, job, event, root)));
}

async function exposure(
  workflow: Workflow,
  id: string,
  job: Job,
  event: WorkflowEvent,
  root: string,
): Promise<Exposure> {
  const steps = await withInner(job.steps, root);
  const mentioned = secretsIn(JSON.stringify([workflow.env, job]));
  const permissions = permissionsOf(workflow, job, event);
  return {
    workflow: workflow.path,
    job: id,
    event: event.name,
    trusted: event.untrusted !== true,
    secrets: givesSecrets(event) ? mentioned : [],
    writes: Object.entries(permissions)
      .flatMap(([name, level]) => (level === "write" ? `${name}: write` : []))
      .sort(),
    runs: [...new Set([...steps.flatMap((step) => codeOf(step, event)), ...workflowsOwn(event)])].sort(),
    injections: steps.flatMap(injectionsIn),
  };
}

/** A workflow file itself comes from the merge commit on pull_request, so its `run:` lines are the pull request's words. */
function workflowsOwn(event: WorkflowEvent): Code[] {
  switch (event.name) {
    case "pull_request":
    // A queue's commit holds what is about to be merged, reviewed or not.
    case "merge_group":
      return ["pull-request"];
    case "push":
      return ["base"];
    case "pull_request_target":
      return ["base"];
    default:
      return ["default-branch"];
  }
}

function codeOf(step: Step, event: WorkflowEvent): Code[] {
  const { uses } = step;
  if (uses === undefined || uses.startsWith("./")) return [];
  if (!uses.startsWith("actions/checkout@")) return [pinning(uses)];
  const ref = step.with?.ref === undefined ? "" : String(step.with.ref);
  return [pinning(uses), checkedOut(ref, step.with?.repository, event)];
}

const pinning = (uses: string): Code => (/@[0-9a-f]{40}$/.test(uses) ? "pinned-action" : "unpinned-action");

/** Whose files a checkout brings; what is built or run from the workspace afterwards is theirs. */
function checkedOut(ref: string, repository: unknown, event: WorkflowEvent): Code {
  if (repository !== undefined) return "unknown";
  if (/pull_request\s*\.\s*base|merge_group\s*\.\s*base_sha|github\s*\.\s*base_ref/.test(ref)) return "base";
  if (/default_branch/.test(ref)) return "default-branch";
  if (/pull_request\s*\.\s*head|head_ref|head_sha|refs\/pull|merge_commit_sha/.test(ref)) return "pull-request";
  if (ref === "" || /^\$\{\{\s*github\s*\.\s*(sha|ref)\s*\}\}$/.test(ref)) return workflowsOwn(event)[0] ?? "unknown";
  return /\$\{\{/.test(ref) ? "unknown" : "base";
}

/** Steps, and those of the repository's own composite actions. */
async function withInner(steps: readonly Step[], root: string): Promise<Step[]> {
  const all = steps.map(async (step) => {
    if (step.uses?.startsWith("./") !== true) return [step];
    const text = await readFile(join(root, step.uses, "action.yml"), "utf8");
    const action = parse(text) as { runs: { steps?: readonly Step[] } };
    return [step, ...(await withInner(action.runs.steps ?? [], root))];
  });
  return (await Promise.all(all)).flat();
}

function secretsIn(text: string): string[] {
  const found = expressionsIn(text).flatMap(({ source }) => {
    const named = [...source.matchAll(/secrets\s*(?:\.\s*([\w-]+)|\[\s*\\?'([\w-]+)\\?'\s*\])/gi)].map(
      (one) => one[1] ?? one[2] ?? "*",
    );
    const bare = source.replace(/secrets\s*(?:\.\s*[\w-]+|\[\s*\\?'[\w-]+\\?'\s*\])/gi, "");
    return /\bsecrets\b/i.test(bare) ? [...named, "*"] : named;
  });
  return [...new Set(found)].sort();
}

/** In `run:` always; in a `with: script:` of an action as well, which is code there. */
function injectionsIn(step: Step): string[] {
  const scripts = [step.run, step.shell, step["working-directory"], step.with?.script].filter(
    (one) => typeof one === "string",
  );
  return scripts.flatMap((script) =>
    expressionsIn(script)
      .filter(({ source }) => UNTRUSTED.test(source))
      .map((one) => one.text),
  );
}
