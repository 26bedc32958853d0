import { readFile } from "node:fs/promises";
import { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { parse } from "yaml";

type Json = Record<string, unknown>;

export interface Workflow {
  readonly path: string;
  readonly name: string;
  /** Event → its filters. */
  readonly on: Readonly<Record<string, Json>>;
  readonly permissions: unknown;
  readonly env: Json;
  readonly concurrency: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

export interface Job {
  readonly name?: string;
  readonly needs?: string | readonly string[];
  readonly if?: unknown;
  readonly permissions?: unknown;
  readonly environment?: string | { readonly name: string };
  readonly env?: Json;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix?: unknown };
  readonly defaults?: { readonly run?: { readonly shell?: string; readonly "working-directory"?: string } };
  readonly "continue-on-error"?: unknown;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: unknown;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Json;
  readonly env?: Json;
  readonly shell?: string;
  readonly "working-directory"?: string;
  readonly "continue-on-error"?: unknown;
}

/** What the runner would play wrongly is refused rather than passed over. */
const UNPLAYED = ["container", "services", "uses", "secrets"];

/** Reads a workflow; throws with GitHub's own complaints, and where it holds what this runner cannot play. */
export function workflowOf(path: string, content: string): Workflow {
  const parsed = parseWorkflow({ name: path, content }, new NoOperationTraceWriter());
  const errors = parsed.context.errors.getErrors();
  if (errors.length > 0) throw new Error(`${path}: ${errors.map((one) => one.message).join("; ")}`);
  const raw = parse(content) as Json & { jobs: Record<string, Job> };
  for (const [id, job] of Object.entries(raw.jobs)) {
    const odd = UNPLAYED.filter((key) => key in job);
    if (odd.length > 0) throw new Error(`${path}: job ${id} has ${odd.join(", ")}, which the runner does not play`);
  }
  return {
    path,
    name: typeof raw.name === "string" ? raw.name : path,
    on: eventsOf(raw.on),
    permissions: raw.permissions,
    env: (raw.env ?? {}) as Json,
    concurrency: raw.concurrency,
    jobs: raw.jobs,
  };
}

export async function readWorkflow(path: string): Promise<Workflow> {
  return workflowOf(path, await readFile(path, "utf8"));
}

function eventsOf(on: unknown): Record<string, Json> {
  if (typeof on === "string") return { [on]: {} };
  if (Array.isArray(on)) return Object.fromEntries(on.map((name) => [name, {}]));
  return Object.fromEntries(
    Object.entries((on ?? {}) as Json).map(([name, filters]) => [name, (filters ?? {}) as Json]),
  );
}
