import { z } from "zod";
import type { NodeEffect } from "../model/node-effect.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import { NO_QUESTIONS } from "../model/node-question.ts";
import { absolutePath, boolean } from "../model/scalar.ts";
import { COMMAND_DOCS } from "./command-docs.ts";
import type { Finding, Observed, Problem, ResourceType } from "./contract.ts";
import { resourceId } from "./resource-id.ts";
import { unsatisfiable } from "./unsatisfiable.ts";

export interface CommandRecord {
  readonly type: "command";
  readonly id: string;
  /** Lines of sh, run as root with stdin closed. */
  readonly run: string;
  /** What is there if and only if the command has run. */
  readonly creates?: string | undefined;
  readonly idempotent: boolean;
}

const schema = z
  .strictObject({
    type: z.literal("command"),
    id: resourceId,
    run: z
      .string()
      .max(65_536)
      .regex(/^[^\0]*\S[^\0]*$/, "must be a command")
      .describe("Lines of sh, run as root with stdin closed."),
    creates: absolutePath
      .optional()
      .describe("A path that is there once it has run, and is not there before. Required unless idempotent is false."),
    idempotent: boolean
      .prefault("true")
      .describe("false: running it again may do something again; the role's description must say why it is so."),
  })
  .transform((written): CommandRecord => ({ ...written, id: written.id ?? `command:${nameOf(written)}` }));

/** The escape hatch: a command that has run when what it creates is there (host-state §2, §5; DESIGN §3.2). */
export const command: ResourceType<CommandRecord> = {
  type: "command",
  summary: "The escape hatch: a command, and the path that is there once it has run.",
  query: "lstat of creates",
  docs: COMMAND_DOCS,
  schema,
  problems: ({ record }) => commandProblems(record),
  claims: (record) => (record.creates === undefined ? [] : [`created:${record.creates}`]),
  removal: () => "stays",
  questions: (record) => ({
    ...NO_QUESTIONS,
    paths: record.creates === undefined ? [] : [{ path: record.creates, hash: false, entries: false }],
  }),
  observe: ({ record }, facts) => observe(record, facts),
  compare: ({ record }, facts) => compare(record, facts),
  effects: ({ record }): readonly NodeEffect[] => [
    { do: "run-command", run: record.run, creates: record.creates ?? null },
  ],
};

function observe(record: CommandRecord, facts: NodeFacts): Observed | null {
  return { has_run: hasRun(record, facts) };
}

/** null: nothing on the node tells. */
function hasRun(record: CommandRecord, facts: NodeFacts): boolean | null {
  const fact = record.creates === undefined ? undefined : facts.paths.get(record.creates);
  return fact === undefined ? null : fact.found !== null;
}

/**
 * A command that is not idempotent is named in every report, also when there is nothing to do (host-state §5): that the
 * node's state cannot prove it is what the reader must know. It runs when `creates` is missing or not declared.
 */
function compare(record: CommandRecord, facts: NodeFacts): Finding | null {
  const done = hasRun(record, facts);
  const { run, creates } = record;
  const params = creates === undefined ? { run } : { run, creates };
  if (!record.idempotent) {
    const verb = done === true ? "noop" : "run";
    return { verb, severity: "warn", reasons: ["not-idempotent"], params: verb === "noop" ? {} : params };
  }
  if (done === null) return unsatisfiable("not-observed");
  return done ? null : { verb: "run", severity: "drift", reasons: ["has-not-run"], params };
}

function commandProblems(record: CommandRecord): readonly Problem[] {
  if (record.creates !== undefined || !record.idempotent) return [];
  return [
    {
      code: "creates-missing",
      severity: "error",
      key: "run",
      message: "nothing would tell whether this command has run",
      hint: "name what it makes with creates: /path, or say idempotent: false and why in the role's description",
    },
  ];
}

/** One line that names it: what it creates, or how it begins. */
function nameOf(record: { readonly run: string; readonly creates?: string | undefined }): string {
  if (record.creates !== undefined) return record.creates;
  const [first = ""] = record.run.trim().split("\n");
  return first.slice(0, 60).trim();
}
