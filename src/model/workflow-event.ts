import { z } from "zod";
import { commitId } from "./recorded-scalar.ts";

/**
 * What started a workflow (DESIGN §6), of GitHub's payloads only what is used. Untrusted: titles, branches, logins and comments
 * are anybody's text.
 */
const number = z.int().min(1);
const line = z.string().max(1000);
const login = z.object({ login: line, type: line.optional() });
const repository = z.object({ full_name: line });
const side = z.object({ sha: commitId, ref: line, repo: repository.nullable().optional() });

const pullRequest = z.object({
  action: line.optional(),
  number,
  pull_request: z.object({
    number: number.optional(),
    state: z.enum(["open", "closed"]).optional(),
    draft: z.boolean().optional(),
    head: side,
    base: side,
    user: login.nullable().optional(),
  }),
});

const mergeGroup = z.object({
  merge_group: z.object({
    head_sha: commitId,
    base_sha: commitId,
    head_ref: line.optional(),
    base_ref: line.optional(),
  }),
});

const workflowRun = z.object({
  workflow_run: z.object({
    id: number,
    event: line,
    head_sha: commitId,
    head_branch: line.nullable().optional(),
    html_url: line.optional(),
    conclusion: line.nullable().optional(),
    /** Empty for pull requests of forks: GitHub does not say which. */
    pull_requests: z.array(z.object({ number })).default([]),
  }),
});

const issueComment = z.object({
  action: line,
  issue: z.object({ number, state: line.optional(), pull_request: z.unknown().optional() }),
  comment: z.object({
    id: number,
    body: z.string().nullable().default(""),
    html_url: line.optional(),
    user: login.nullable(),
  }),
  sender: login.optional(),
});

const push = z.object({ before: commitId, after: commitId, ref: line.optional() });

const inputs = z.record(z.string(), z.union([z.string(), z.boolean(), z.number()]).transform(String));
const dispatch = z.object({ inputs: inputs.nullable().default({}) });

const PAYLOADS = {
  pull_request: pullRequest,
  merge_group: mergeGroup,
  workflow_run: workflowRun,
  issue_comment: issueComment,
  push,
  workflow_dispatch: dispatch,
  schedule: z.object({ schedule: line.optional() }),
} as const;

type Payloads = typeof PAYLOADS;
export type WorkflowEventName = keyof Payloads;
export type WorkflowPayload<Name extends WorkflowEventName> = z.output<Payloads[Name]>;

export type WorkflowEvent =
  | { [Name in WorkflowEventName]: { readonly name: Name; readonly payload: WorkflowPayload<Name> } }[WorkflowEventName]
  /** None that a verb knows, or one that is not as GitHub describes it; `why` is one line. */
  | { readonly name: "unknown"; readonly why: string };

/** `raw` is the parsed event file. */
export function readWorkflowEvent(name: string, raw: unknown): WorkflowEvent {
  if (!Object.hasOwn(PAYLOADS, name))
    return { name: "unknown", why: name === "" ? "no event is named" : `the event is ${name}` };
  const known = name as WorkflowEventName;
  const { success, data, error } = PAYLOADS[known].safeParse(raw);
  if (success) return { name: known, payload: data } as WorkflowEvent;
  const [first] = error.issues;
  return { name: "unknown", why: `the event file of ${known}: ${first?.path.join(".") ?? ""} ${first?.message ?? ""}` };
}
