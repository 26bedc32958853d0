import { parse } from "yaml";
import { z } from "zod";
import type { RepoFinding } from "../model/repo-finding.ts";
import { finding, KEY_SECRET } from "./repo-findings.ts";

/** A file of .github/workflows. */
export interface WorkflowFile {
  /** Its name alone. */
  readonly file: string;
  readonly text: string;
}

/** What `ci` has a verb for, and the file that comes with rollcall. */
const VERBS = ["pull-request", "reconcile", "audit", "comment"] as const;

/** What pull-request.yml calls itself, and comment.yml waits for. */
const PULL_REQUEST_NAME = "rollcall pull request";

const COPY = "copy it from docs/github/workflows of rollcall";

/** As much of a workflow as is looked at. */
const workflowSchema = z.object({
  name: z.string().optional(),
  on: z.unknown(),
  jobs: z.record(
    z.string(),
    z.object({
      steps: z
        .array(z.object({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).nullish() }))
        .optional(),
    }),
  ),
});

type Workflow = z.output<typeof workflowSchema> & WorkflowFile;

/** Whether the workflows of the default branch are there and are what they must be. */
export function workflowFindings(files: readonly WorkflowFile[], mergeQueue: boolean | null): readonly RepoFinding[] {
  const read = files.map((file) => ({ file: file.file, workflow: workflowOf(file) }));
  const workflows = read.flatMap(({ workflow }) => workflow ?? []);
  const broken = read.filter(({ workflow }) => workflow === null).map(({ file }) => file);
  const ours = VERBS.map((verb) => ({ verb, workflow: workflows.find((one) => calls(one, verb)) }));
  return [
    ...ours.map(({ verb, workflow }) =>
      finding(
        {
          code: `workflow-${verb}`,
          about: `a workflow runs rollcall ci ${verb}`,
          change: `${verb}.yml is missing: ${COPY}`,
        },
        workflow !== undefined && (verb !== "reconcile" || workflow.file === "reconcile.yml"),
        workflow === undefined
          ? "there is none"
          : `it is called ${workflow.file}, and /rollcall resume starts reconcile.yml`,
        workflow?.file,
      ),
    ),
    ...chained(ours.find(({ verb }) => verb === "pull-request")?.workflow, mergeQueue),
    ...pinned(ours.flatMap(({ workflow }) => workflow ?? [])),
    finding(
      {
        code: "pull-request-target",
        about: "no workflow runs on pull_request_target",
        change: "let it run on pull_request; the plan of a fork is posted by comment.yml",
      },
      workflows.every(({ on }) => !("pull_request_target" in eventsOf(on))),
      `it gives keys to a run that a stranger starts: ${filesWith(workflows, "pull_request_target")}`,
    ),
    ...workflows.flatMap(keyOutside),
    ...broken.map((file) =>
      finding(
        { code: "workflow-unread", about: `${file} can be read`, change: "see what is wrong with it" },
        false,
        "it is no workflow",
      ),
    ),
  ];
}

function workflowOf(file: WorkflowFile): Workflow | null {
  try {
    const { success, data } = workflowSchema.safeParse(parse(file.text));
    return success ? { ...data, ...file } : null;
  } catch {
    return null;
  }
}

const stepsOf = (workflow: Workflow) => Object.values(workflow.jobs).flatMap(({ steps }) => steps ?? []);

function calls(workflow: Workflow, verb: string): boolean {
  return stepsOf(workflow).some(
    (step) => /\/\.github\/actions\/rollcall(@|$)/.test(step.uses ?? "") && step.with?.command === verb,
  );
}

/** The other workflow and the queue find it by its name and its events. */
function chained(workflow: Workflow | undefined, mergeQueue: boolean | null): readonly RepoFinding[] {
  if (workflow === undefined) return [];
  const events = eventsOf(workflow.on);
  return [
    finding(
      {
        code: "workflow-name",
        about: "comment.yml finds the pull request's run",
        change: `name: ${PULL_REQUEST_NAME}`,
      },
      workflow.name === PULL_REQUEST_NAME,
      `${workflow.file} is named ${JSON.stringify(workflow.name ?? "")}, so that forks get no comment`,
    ),
    ...(mergeQueue === true
      ? [
          finding(
            {
              code: "merge-group",
              about: "the merge queue is answered",
              change: `on: merge_group in ${workflow.file}`,
            },
            "merge_group" in events,
            `${workflow.file} does not run for it: nothing would ever be merged`,
          ),
        ]
      : []),
  ];
}

function pinned(workflows: readonly Workflow[]): readonly RepoFinding[] {
  const loose = workflows.flatMap((workflow) =>
    stepsOf(workflow).flatMap(({ uses = "" }) =>
      uses === "" || uses.startsWith("./") || /@[0-9a-f]{40}$/.test(uses) ? [] : [`${workflow.file}: ${uses}`],
    ),
  );
  return [
    finding(
      {
        code: "workflow-pins",
        about: "their actions are pinned by commit",
        change: "uses: OWNER/NAME@<40 hex digits>",
      },
      loose.length === 0,
      [...new Set(loose)].join(", "),
    ),
  ];
}

/** Where the key is named in a workflow that a pull request starts. */
function keyOutside(workflow: Workflow): readonly RepoFinding[] {
  const mentions = workflow.text.includes(KEY_SECRET);
  const events = Object.keys(eventsOf(workflow.on)).filter(
    (name) => name === "pull_request" || name === "pull_request_target",
  );
  if (!mentions || events.length === 0) return [];
  return [
    finding(
      {
        code: "key-before-merge",
        about: `${workflow.file} keeps the key from pull requests`,
        change: `take ${KEY_SECRET} out of it`,
      },
      false,
      `it runs on ${events.join(", ")} and names ${KEY_SECRET}`,
    ),
  ];
}

function filesWith(workflows: readonly Workflow[], event: string): string {
  return workflows
    .filter(({ on }) => event in eventsOf(on))
    .map(({ file }) => file)
    .join(", ");
}

function eventsOf(on: unknown): Readonly<Record<string, unknown>> {
  if (typeof on === "string") return { [on]: null };
  if (Array.isArray(on)) return Object.fromEntries(on.map((one) => [String(one), null]));
  return typeof on === "object" && on !== null ? (on as Record<string, unknown>) : {};
}
