import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { givesSecrets, type Permissions, permissionsOf, starts, type WorkflowEvent } from "./event.ts";
import { asText, type Contexts, filled, holds, type Standing } from "./expressions.ts";
import { type Place, runSteps, type StepResult } from "./run-steps.ts";
import type { Job, Workflow } from "./workflow-file.ts";

type Texts = Record<string, string>;

export interface WorkflowTrial {
  readonly event: WorkflowEvent;
  /** Repository and organisation secrets; those of environments by their names. */
  readonly secrets?: Readonly<Texts>;
  readonly environmentSecrets?: Readonly<Record<string, Texts>>;
  readonly vars?: Readonly<Texts>;
  /** What every step finds in its environment besides GitHub's own: API URL, SSH agent, … */
  readonly environment?: Readonly<Texts>;
  /** A git URL or folder that actions/checkout clones. */
  readonly remote?: string;
  readonly actions?: Readonly<Texts>;
  /** Makes a job's token, so that a server can know what it may do. */
  readonly token?: (permissions: Permissions, job: string) => string;
}

export interface JobResult {
  readonly id: string;
  readonly conclusion: "success" | "failure" | "skipped";
  readonly outputs: Readonly<Texts>;
  readonly permissions: Permissions;
  readonly steps: readonly StepResult[];
  /** Masked, as people see it. */
  readonly log: string;
  readonly summary: string;
}

export interface RunResult {
  readonly started: boolean;
  readonly conclusion: "success" | "failure" | "none";
  /** `id`, or `id (matrix values)`. */
  readonly jobs: Readonly<Record<string, JobResult>>;
  readonly concurrency: unknown;
}

/** Runs a workflow for an event: jobs one after the other in the order of `needs`, steps with real shells in temporary folders. */
export async function runWorkflow(workflow: Workflow, trial: WorkflowTrial): Promise<RunResult> {
  if (!starts(workflow, trial.event)) return { started: false, conclusion: "none", jobs: {}, concurrency: null };
  const folder = await mkdtemp(join(tmpdir(), "workflow-"));
  try {
    const run = new Run(workflow, trial, folder);
    const jobs = await run.all();
    const failed = Object.values(jobs).some((one) => one.conclusion === "failure");
    const concurrency = filled(workflow.concurrency ?? null, run.shared);
    return { started: true, conclusion: failed ? "failure" : "success", jobs, concurrency };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Needed {
  result: Standing | "skipped";
  outputs: Texts;
}

class Run {
  readonly shared: Contexts;
  private readonly workflow: Workflow;
  private readonly trial: WorkflowTrial;
  private readonly folder: string;
  private readonly done = new Map<string, Needed>();

  constructor(workflow: Workflow, trial: WorkflowTrial, folder: string) {
    this.workflow = workflow;
    this.trial = trial;
    this.folder = folder;
    const { event } = trial;
    const github = {
      event: event.payload,
      event_name: event.name,
      ref: event.ref,
      ref_name: event.ref.replace(/^refs\/(heads|tags|pull)\//, ""),
      sha: event.sha,
      actor: event.actor,
      triggering_actor: event.actor,
      head_ref: event.headRef ?? "",
      base_ref: event.baseRef ?? "",
      repository: "acme/fleet",
      repository_owner: "acme",
      run_id: "1",
      run_number: "1",
      run_attempt: "1",
      workflow: workflow.name,
      server_url: "https://github.com",
      api_url: trial.environment?.GITHUB_API_URL ?? "https://api.github.com",
    };
    this.shared = { github, vars: trial.vars ?? {}, inputs: event.payload.inputs ?? {} };
  }

  async all(): Promise<Record<string, JobResult>> {
    const results: Record<string, JobResult> = {};
    const waiting = new Map(Object.entries(this.workflow.jobs));
    while (waiting.size > 0) {
      const next = [...waiting].find(([, job]) => needsOf(job).every((id) => this.done.has(id)));
      if (next === undefined) throw new Error(`${this.workflow.path}: jobs need each other, or one that is not there`);
      const [id, job] = next;
      waiting.delete(id);
      for (const result of await this.job(id, job)) results[result.id] = result;
    }
    return results;
  }

  private async job(id: string, job: Job): Promise<JobResult[]> {
    const needs = Object.fromEntries(needsOf(job).map((one) => [one, this.done.get(one) as Needed]));
    const standing = standingOf(this.ancestors(id));
    const contexts = { ...this.shared, needs };
    if (!holds(job.if, contexts, standing)) {
      this.done.set(id, { result: "skipped", outputs: {} });
      return [{ id, conclusion: "skipped", outputs: {}, permissions: {}, steps: [], log: "", summary: "" }];
    }
    const results: JobResult[] = [];
    for (const matrix of combinations(filled(job.strategy?.matrix ?? null, contexts))) {
      const name = matrix === null ? id : `${id} (${Object.values(matrix).map(asText).join(", ")})`;
      results.push(await this.one(id, name, job, { ...contexts, matrix: matrix ?? {} }));
    }
    const failed = results.some((one) => one.conclusion === "failure") && job["continue-on-error"] !== true;
    this.done.set(id, {
      result: failed ? "failure" : "success",
      outputs: Object.assign({}, ...results.map((one) => one.outputs)),
    });
    return results;
  }

  /** Everything that a job waits for, however far back: GitHub's `success()` asks all of them. */
  private ancestors(id: string): Needed[] {
    const found = new Set<string>();
    const walk = (one: string) => {
      for (const need of needsOf(this.workflow.jobs[one] as Job)) {
        found.add(need);
        walk(need);
      }
    };
    walk(id);
    return [...found].map((one) => this.done.get(one) as Needed);
  }

  private async one(id: string, name: string, job: Job, given: Contexts): Promise<JobResult> {
    const { trial } = this;
    const permissions = permissionsOf(this.workflow, job, trial.event);
    const token = trial.token?.(permissions, id) ?? "trial-token";
    const environment = asText(
      filled(typeof job.environment === "object" ? job.environment.name : (job.environment ?? ""), given),
    );
    const kept = givesSecrets(trial.event) ? { ...trial.secrets, ...trial.environmentSecrets?.[environment] } : {};
    const secrets = { ...kept, GITHUB_TOKEN: token };
    const temp = join(this.folder, name.replace(/[^\w-]+/g, "-"));
    const place = await this.place(temp, Object.values(secrets));
    const github = { ...(given.github as object), token, job: id, workspace: place.workspace };
    const runner = { os: "Linux", arch: "X64", temp, name: "trial" };
    const first = { ...given, github, runner, secrets };
    const env = Object.fromEntries(
      Object.entries({
        ...(filled(this.workflow.env, first) as object),
        ...(filled(job.env ?? {}, { ...first, env: {} }) as object),
      }).map(([key, one]) => [key, asText(one)]),
    );
    const contexts = { ...first, env };
    const defaults = job.defaults?.run;
    const ran = await runSteps(job.steps, contexts, place, defaults?.shell, defaults?.["working-directory"]);
    const outputs = Object.entries(job.outputs ?? {}).map(([key, value]) => [
      key,
      asText(filled(value, { ...contexts, steps: ran.byId })),
    ]);
    return {
      id: name,
      conclusion: ran.standing === "success" ? "success" : "failure",
      outputs: Object.fromEntries(
        outputs.filter(([, value]) => !Object.values(secrets).some((secret) => value?.includes(secret))),
      ),
      permissions,
      steps: ran.steps,
      log: place.log,
      summary: place.summary,
    };
  }

  private async place(temp: string, masks: readonly string[]): Promise<Place> {
    const workspace = join(temp, "workspace");
    const artifacts = join(this.folder, "artifacts");
    await mkdir(workspace, { recursive: true });
    await mkdir(artifacts, { recursive: true });
    await mkdir(join(temp, "home"), { recursive: true });
    const github = this.shared.github as Texts;
    const named = [
      "event_name",
      "ref",
      "ref_name",
      "sha",
      "actor",
      "head_ref",
      "base_ref",
      "repository",
      "run_id",
      "run_number",
      "run_attempt",
      "workflow",
      "server_url",
      "api_url",
    ];
    return {
      workspace,
      temp,
      artifacts,
      base: {
        PATH: process.env.PATH ?? "/usr/bin:/bin",
        HOME: join(temp, "home"),
        LANG: "C.UTF-8",
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: temp,
        ...Object.fromEntries(named.map((name) => [`GITHUB_${name.toUpperCase()}`, github[name] ?? ""])),
        ...this.trial.environment,
      },
      env: {},
      path: [],
      masks: new Set(masks.filter((one) => one !== "")),
      remote: this.trial.remote ?? null,
      actions: this.trial.actions ?? {},
      log: "",
      summary: "",
      times: { files: 0 },
    };
  }
}

const needsOf = (job: Job): readonly string[] => [job.needs ?? []].flat();

function standingOf(needs: readonly Needed[]): Standing {
  if (needs.some((one) => one.result === "failure")) return "failure";
  // After a skipped one neither success() nor failure() holds.
  return needs.some((one) => one.result === "skipped") ? "cancelled" : "success";
}

/** `matrix:` → its combinations; [null] without one. */
function combinations(matrix: unknown): (Record<string, unknown> | null)[] {
  if (matrix === null) return [null];
  const {
    include = [],
    exclude = [],
    ...axes
  } = matrix as { include?: Record<string, unknown>[]; exclude?: Record<string, unknown>[] } & Record<
    string,
    unknown[]
  >;
  let found: Record<string, unknown>[] = Object.keys(axes).length === 0 ? [] : [{}];
  for (const [key, values] of Object.entries(axes))
    found = found.flatMap((one) => values.map((value) => ({ ...one, [key]: value })));
  const within = (part: Record<string, unknown>, whole: Record<string, unknown>) =>
    Object.entries(part).every(([key, value]) => whole[key] === value);
  const kept = found.filter((one) => !exclude.some((part) => within(part, one)));
  for (const extra of include) {
    const shared = Object.fromEntries(Object.entries(extra).filter(([key]) => key in axes));
    const hosts = kept.filter((one) => within(shared, one));
    if (hosts.length === 0 || Object.keys(axes).length === 0) kept.push(extra);
    else for (const host of hosts) Object.assign(host, extra);
  }
  if (kept.length > 256) throw new Error(`a matrix has at most 256 jobs, not ${kept.length}`);
  return kept;
}
