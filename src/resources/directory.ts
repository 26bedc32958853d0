import { z } from "zod";
import type { NodeEffect } from "../model/node-effect.ts";
import type { NodeFacts, PathFact } from "../model/node-facts.ts";
import { NO_QUESTIONS } from "../model/node-question.ts";
import { absolutePath, account, mode } from "../model/scalar.ts";
import type { CompareContext, Declared, Finding, Observed, ResourceType } from "./contract.ts";
import { DIRECTORY_DOCS } from "./directory-docs.ts";
import { attributeFinding, folderOf, missingFolder } from "./path-comparison.ts";
import { pathProblems } from "./path-problems.ts";
import { presence, resourceId } from "./resource-id.ts";
import { unsatisfiable } from "./unsatisfiable.ts";

export interface DirectoryRecord {
  readonly type: "directory";
  readonly id: string;
  readonly path: string;
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
  readonly state: "present" | "absent";
}

const schema = z
  .strictObject({
    type: z.literal("directory"),
    id: resourceId,
    path: absolutePath.describe("Where the directory is: absolute, in its plain form."),
    mode: mode.prefault("0755").describe('Octal, quoted: "0755".'),
    owner: account.default("root").describe("A user of the node, by name or number."),
    group: account.default("root").describe("A group of the node, by name or number."),
    state: presence,
  })
  .transform((written): DirectoryRecord => ({ ...written, id: written.id ?? `directory:${written.path}` }));

type Found = NonNullable<PathFact["found"]>;

/** A directory itself, never what it holds (host-state §2, §3; DESIGN §3.2). */
export const directory: ResourceType<DirectoryRecord> = {
  type: "directory",
  summary: "A directory: its mode, owner and group, or that there is none. What it holds is not its business.",
  query: "lstat of all paths and of their folders; for those to be removed, whether they are empty",
  docs: DIRECTORY_DOCS,
  schema,
  problems: ({ record }) => pathProblems(record.path),
  claims: (record) => [`path:${record.path}`],
  removal: ({ path, state }) => (state === "absent" ? null : { path, state: "absent" }),
  questions: (record) => ({
    ...NO_QUESTIONS,
    paths: [
      { path: record.path, hash: false, entries: record.state === "absent" },
      ...(record.state === "present" ? [{ path: folderOf(record.path), hash: false, entries: false }] : []),
    ],
  }),
  observe: ({ record }, facts) => observe(record, facts),
  compare,
  effects,
};

function observe(record: DirectoryRecord, facts: NodeFacts): Observed | null {
  const fact = facts.paths.get(record.path);
  if (fact === undefined) return { exists: null };
  if (fact.found === null) return null;
  const { type, mode: observedMode, owner, group, empty } = fact.found;
  return {
    exists: true,
    type,
    mode: observedMode,
    owner,
    group,
    ...(type === "directory" && record.state === "absent" ? { empty } : {}),
  };
}

function compare({ record }: Declared<DirectoryRecord>, facts: NodeFacts, context: CompareContext): Finding | null {
  const fact = facts.paths.get(record.path);
  if (fact === undefined) return unsatisfiable("not-observed");
  if (record.state === "absent") return compareAbsent(record, fact.found, context);
  if (fact.found === null) return missingFolder(record.path, facts, context) ?? install(record);
  return comparePresent(record, fact.found);
}

/** Only an empty directory is removed; one that something before this empties is judged again afterwards. */
function compareAbsent(record: DirectoryRecord, found: PathFact["found"], context: CompareContext): Finding | null {
  if (found === null) return null;
  if (found.type === "link") return unsatisfiable("link-in-the-way");
  if (found.type !== "directory") return unsatisfiable("special-in-the-way");
  const inside = `path:${record.path}/`;
  const emptied = [...context.changing].some((claim) => claim.startsWith(inside));
  if (found.empty === null && !emptied) return unsatisfiable("unreadable");
  if (found.empty === false && !emptied) return unsatisfiable("not-empty");
  return { verb: "remove", severity: "drift", reasons: ["exists"], params: {} };
}

/** host-state §4 has `install` for it: the verb that creates a directory, mode and owner with it. */
function install({ mode: declaredMode, owner, group }: DirectoryRecord): Finding {
  const params = { mode: declaredMode, owner, group };
  return { verb: "install", severity: "drift", reasons: ["missing"], params };
}

function comparePresent(record: DirectoryRecord, found: Found): Finding | null {
  if (found.type === "link") return unsatisfiable("link-in-the-way");
  if (found.type !== "directory") return unsatisfiable("special-in-the-way");
  return attributeFinding(record, found);
}

function effects({ record }: Declared<DirectoryRecord>, finding: Finding): readonly NodeEffect[] {
  const { path, mode: declaredMode, owner, group } = record;
  if (finding.verb === "remove") return [{ do: "remove-directory", path }];
  if (finding.verb === "chmod") return [{ do: "set-mode", path, mode: declaredMode }];
  if (finding.verb === "chown") return [{ do: "set-owner", path, owner, group, mode: declaredMode }];
  return [{ do: "make-directory", path, mode: declaredMode, owner, group }];
}
