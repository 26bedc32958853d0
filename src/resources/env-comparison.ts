import { parseEnvironmentFile } from "../kit/environment-file.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { CompareContext, Declared, Finding, Observed, ResourceRecord } from "./contract.ts";
import {
  attributeFinding,
  differingAttributes,
  fileToRemove,
  missingFolder,
  notRegular,
  type OwnedPath,
} from "./path-comparison.ts";
import { unsatisfiable } from "./unsatisfiable.ts";

interface ComparedEnv extends ResourceRecord, OwnedPath {
  readonly vars: Readonly<Record<string, string | { readonly secret_ref: string }>>;
  readonly state: "present" | "absent";
}

/**
 * The observed-state record. Of what stands in the file only values that the repository says in clear are shown as they
 * are; every other one, which may be a secret or have been one, by its keyed hash (DESIGN §3.2).
 */
export function observeEnv({ record, secrets }: Declared<ComparedEnv>, facts: NodeFacts): Observed | null {
  const fact = facts.paths.get(record.path);
  if (fact === undefined) return { exists: null };
  if (fact.found === null) return null;
  const { type, mode, owner, group, target } = fact.found;
  const known = { exists: true, type, mode, owner, group, ...(type === "link" ? { target } : {}) };
  const values = type === "file" && record.state === "present" ? observedValues(record.path, facts) : null;
  if (values === null) return known;
  const shown = [...values].map(([name, value]) => {
    const inClear = record.vars[name] === value;
    return [name, inClear ? value : (secrets?.hash(value) ?? "hidden")] as const;
  });
  return { ...known, vars: Object.fromEntries(shown) };
}

export function compareEnv(resource: Declared<ComparedEnv>, facts: NodeFacts, context: CompareContext): Finding | null {
  const { record, content } = resource;
  const fact = facts.paths.get(record.path);
  if (fact === undefined) return unsatisfiable("not-observed");
  if (record.state === "absent") return fileToRemove(fact.found);
  const obstacle = fact.found === null ? missingFolder(record.path, facts, context) : notRegular(fact.found);
  if (obstacle !== null) return obstacle;
  if (content === null) return deferred(resource);
  if (fact.found === null) return write(record, ["missing"], Object.keys(record.vars));
  const observed = observedValues(record.path, facts);
  // Not to be read as an environment file, so that no unit starts with it: as good as missing, and ours as a whole.
  const changed = observed === null ? Object.keys(record.vars) : changedNames(content.bytes(), observed);
  if (observed !== null && changed.length === 0) return attributeFinding(record, fact.found);
  const rotated = observed !== null && changed.every((name) => isSecret(record, name) && observed.has(name));
  const first = observed === null ? "malformed" : rotated ? "secret-rotated" : "vars";
  return write(record, [first, ...differingAttributes(record, fact.found)], changed);
}

/** What is not to be had here is deferred, not failed: it is said, and it does not keep the node from converging. */
function deferred({ record, secrets }: Declared<ComparedEnv>): Finding {
  const references = Object.values(record.vars).flatMap((value) => (typeof value === "string" ? [] : value.secret_ref));
  const absent = references.filter((reference) => (secrets?.valueOf(reference) ?? null) === null);
  if (absent.length === 0) return unsatisfiable("secret-unfit");
  return { verb: "noop", severity: "warn", reasons: ["secret-absent"], params: { secrets: absent } };
}

/** Names only: digest and size of a file with secrets in it would tell about them. */
function write(record: ComparedEnv, reasons: readonly string[], vars: readonly string[]): Finding {
  const { mode, owner, group } = record;
  return { verb: "write", severity: "drift", reasons, params: { mode, owner, group, vars } };
}

function changedNames(declared: Uint8Array, observed: ReadonlyMap<string, string>): readonly string[] {
  const wanted = valuesOf(declared) ?? new Map<string, string>();
  const names = new Set([...wanted.keys(), ...observed.keys()]);
  return [...names].filter((name) => wanted.get(name) !== observed.get(name));
}

function isSecret(record: ComparedEnv, name: string): boolean {
  return typeof record.vars[name] === "object";
}

function observedValues(path: string, facts: NodeFacts): ReadonlyMap<string, string> | null {
  const bytes = facts.texts.get(path) ?? null;
  return bytes === null ? null : valuesOf(bytes);
}

function valuesOf(bytes: Uint8Array): ReadonlyMap<string, string> | null {
  const reading = parseEnvironmentFile(bytes);
  // What another version of systemd, or a shell, may read otherwise is not as declared either.
  if (reading.kind === "refused" || reading.oddities.length > 0) return null;
  return new Map(reading.entries.map(({ name, value }) => [name, value]));
}
