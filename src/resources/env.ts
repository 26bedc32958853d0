import { z } from "zod";
import { formatEnvironmentFile } from "../kit/environment-file-format.ts";
import { NO_QUESTIONS } from "../model/node-question.ts";
import { absolutePath, account, mode } from "../model/scalar.ts";
import { secretRef, secretRefText } from "../model/secret-ref.ts";
import { textContent } from "../model/text-content.ts";
import type { Binding, Declared, ResourceType } from "./contract.ts";
import { compareEnv, observeEnv } from "./env-comparison.ts";
import { ENV_DOCS } from "./env-docs.ts";
import { envProblems } from "./env-problems.ts";
import { fileEffects } from "./file-effects.ts";
import { folderOf } from "./path-comparison.ts";
import { presence, resourceId } from "./resource-id.ts";

export interface EnvRecord {
  readonly type: "env";
  readonly id: string;
  readonly path: string;
  /** In the order written; a secret is only named, `{ secret_ref: "env:API_TOKEN" }`. */
  readonly vars: Readonly<Record<string, string | { readonly secret_ref: string }>>;
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
  readonly state: "present" | "absent";
}

const schema = z
  .strictObject({
    type: z.literal("env"),
    id: resourceId,
    path: absolutePath.describe("Where the file is: absolute, in its plain form."),
    vars: z
      .record(z.string(), z.union([z.string(), z.strictObject({ secret_ref: secretRef.transform(secretRefText) })]))
      .prefault({})
      .describe(
        "Name → value, or `{ secret_ref: … }` with `env:NAME`, `file:PATH` or `age:PATH`. In the order written; the file has these and no others.",
      ),
    mode: mode.prefault("0640").describe('Octal, quoted: "0640".'),
    owner: account.default("root").describe("A user of the node, by name or number."),
    group: account.default("root").describe("A group of the node, by name or number."),
    state: presence,
  })
  .transform((written): EnvRecord => ({ ...written, id: written.id ?? `env:${written.path}` }));

/** An environment file as systemd's EnvironmentFile= reads it (host-state §2, §3; DESIGN §3.2). */
export const env: ResourceType<EnvRecord> = {
  type: "env",
  summary: "An environment file for systemd's EnvironmentFile=, every value exactly as declared; secrets by reference.",
  query: "lstat of all paths and of their folders; the bytes of those that are small regular files",
  docs: ENV_DOCS,
  schema,
  problems: ({ record }) => envProblems(record),
  claims: (record) => [`path:${record.path}`],
  removal: ({ path, state }) => (state === "absent" ? null : { path, state: "absent" }),
  secretRefs: (record) =>
    Object.values(record.vars).flatMap((value) => (typeof value === "string" ? [] : value.secret_ref)),
  bind,
  questions: (record) => ({
    ...NO_QUESTIONS,
    paths: [record.path, folderOf(record.path)].map((path) => ({ path, hash: false, entries: false })),
    texts: record.state === "present" ? [record.path] : [],
  }),
  observe: observeEnv,
  compare: compareEnv,
  effects: ({ record, content }, finding) => fileEffects(record, content, finding),
};

/** The file as it must be, once every secret is known; without one of them there is no content, and nothing is written. */
function bind(resource: Declared<EnvRecord>, { secrets }: Binding): Declared<EnvRecord> {
  const vars = new Map<string, string>();
  for (const [name, value] of Object.entries(resource.record.vars)) {
    const known = typeof value === "string" ? value : secrets.valueOf(value.secret_ref);
    if (known === null) return { ...resource, secrets };
    vars.set(name, known);
  }
  const formatted = formatEnvironmentFile(vars);
  // What is declared was judged by validate; only a secret's own value can still be one that no file can carry.
  if (formatted.kind === "problems") return { ...resource, secrets };
  return { ...resource, secrets, content: textContent(formatted.text) };
}
