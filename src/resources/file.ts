import { z } from "zod";
import type { FileContent } from "../model/file-content.ts";
import type { NodeFacts, PathFact } from "../model/node-facts.ts";
import { NO_QUESTIONS } from "../model/node-question.ts";
import { absolutePath, account, boolean, mode } from "../model/scalar.ts";
import { textContent } from "../model/text-content.ts";
import { renderTemplate } from "../templates/render-template.ts";
import type { Binding, CompareContext, Declared, Finding, Observed, Problem, ResourceType } from "./contract.ts";
import { FILE_DOCS } from "./file-docs.ts";
import { fileEffects } from "./file-effects.ts";
import { fileProblems } from "./file-problems.ts";
import {
  attributeFinding,
  differingAttributes,
  fileToRemove,
  folderOf,
  missingFolder,
  notRegular,
} from "./path-comparison.ts";
import { presence, resourceId } from "./resource-id.ts";
import { unsatisfiable } from "./unsatisfiable.ts";

export interface FileRecord {
  readonly type: "file";
  readonly id: string;
  readonly path: string;
  /** The text itself; its bytes are its UTF-8. */
  readonly content?: string | undefined;
  /** Or a file below host-roles/<role>/files/. */
  readonly source?: string | undefined;
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
  readonly state: "present" | "absent";
  /** Rendered with the node's name, address, class, labels and vars; without it not a byte is touched. */
  readonly template: boolean;
}

const schema = z
  .strictObject({
    type: z.literal("file"),
    id: resourceId,
    path: absolutePath.describe("Where the file is: absolute, in its plain form."),
    content: z.string().optional().describe("The text itself, written as UTF-8. Either this or source."),
    source: z
      .string()
      .regex(/^(?!(?:.*\/)?\.{0,2}(?:\/|$))[^\\\p{Cc}]+$/u, "must be a path below the role's files folder")
      .optional()
      .describe("A file of the repository, below `host-roles/<role>/files/`: any bytes. Either this or content."),
    mode: mode.prefault("0644").describe('Octal, quoted: "0644".'),
    owner: account.default("root").describe("A user of the node, by name or number."),
    group: account.default("root").describe("A group of the node, by name or number."),
    state: presence,
    template: boolean
      .prefault("false")
      .describe(
        "Fill in `{{ node.name }}` and the node's address, class, os, labels and vars; without it not a byte is touched.",
      ),
  })
  .transform((written): FileRecord => ({ ...written, id: written.id ?? `file:${written.path}` }));

type Found = NonNullable<PathFact["found"]>;

/** A regular file, bytes and all (host-state §2, §3; DESIGN §3.2). */
export const file: ResourceType<FileRecord> = {
  type: "file",
  summary: "A regular file: its bytes, mode, owner and group, or that there is none.",
  query: "lstat of all paths and of their folders; sha256sum of those that are regular files",
  docs: FILE_DOCS,
  schema,
  problems: (resource): readonly Problem[] => fileProblems(resource),
  shownPath: (record) => record.path,
  claims: (record) => [`path:${record.path}`],
  removal: ({ path, state }) => (state === "absent" ? null : { path, state: "absent" }),
  bind,
  questions: (record) => ({
    ...NO_QUESTIONS,
    paths: [
      { path: record.path, hash: record.state === "present", entries: false },
      ...(record.state === "present" ? [{ path: folderOf(record.path), hash: false, entries: false }] : []),
    ],
  }),
  observe: ({ record }, facts) => observe(record, facts),
  compare,
  effects: ({ record, content }, finding) => fileEffects(record, content, finding),
};

/** A node's own text. That every variable is defined is a rule of `validate`, so here it is a fault of ours. */
function bind(resource: Declared<FileRecord>, { scope }: Binding): Declared<FileRecord> {
  const { record, content } = resource;
  if (!record.template || content === null) return resource;
  const rendered = renderTemplate(content.bytes(), scope);
  if (rendered.kind === "problems") throw new Error(`${record.id} of role ${resource.role} cannot be rendered`);
  return { ...resource, content: textContent(rendered.text) };
}

function observe(record: FileRecord, facts: NodeFacts): Observed | null {
  const fact = facts.paths.get(record.path);
  if (fact === undefined) return { exists: null };
  if (fact.found === null) return null;
  const { type, mode: observedMode, owner, group, sha256, target } = fact.found;
  return {
    exists: true,
    type,
    mode: observedMode,
    owner,
    group,
    ...(type === "file" && record.state === "present" ? { sha256 } : {}),
    ...(type === "link" ? { target } : {}),
  };
}

function compare(resource: Declared<FileRecord>, facts: NodeFacts, context: CompareContext): Finding | null {
  const { record, content } = resource;
  const fact = facts.paths.get(record.path);
  if (fact === undefined) return unsatisfiable("not-observed");
  if (record.state === "absent") return fileToRemove(fact.found);
  if (content === null) throw new Error(`${record.id} of role ${resource.role} is present and has no content`);
  if (fact.found === null) return missingFolder(record.path, facts, context) ?? write(record, content, ["missing"]);
  return comparePresent(record, content, fact.found);
}

function comparePresent(record: FileRecord, content: FileContent, found: Found): Finding | null {
  const obstacle = notRegular(found);
  if (obstacle !== null) return obstacle;
  if (found.sha256 === null) return unsatisfiable("unreadable");
  if (found.sha256 === content.sha256) return attributeFinding(record, found);
  return write(record, content, ["content", ...differingAttributes(record, found)]);
}

function write(record: FileRecord, content: FileContent, reasons: readonly string[]): Finding {
  const { mode: declaredMode, owner, group } = record;
  const { sha256, size } = content;
  return { verb: "write", severity: "drift", reasons, params: { mode: declaredMode, owner, group, sha256, size } };
}
