import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { byteContent, textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeFacts, PackageFact, PathFact, PendingRecord, UnitFact } from "../../src/model/node-facts.ts";
import type { CompareContext, Declared, ResourceRecord } from "../../src/resources/contract.ts";
import { RESOURCE_CATALOGUE, resourceType } from "../../src/resources/index.ts";
import { nodeScope } from "../../src/templates/node-scope.ts";

/**
 * One data-driven case of a resource type: what is declared and what the node answered, and everything that follows from it.
 * Only what a case writes is compared, but `finding` and `problems` always.
 */
export interface ResourceCase {
  readonly name: string;
  /** The record as in a manifest; `other` are its siblings above, `below` those after it. */
  readonly declared: Record<string, unknown>;
  readonly above?: readonly Record<string, unknown>[];
  readonly below?: readonly Record<string, unknown>[];
  readonly facts?: CaseFacts;
  /** Values of secrets by reference; all others are absent. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Ids of resources above that are to change; `elsewhere` are claims of other roles. */
  readonly changing?: readonly string[];
  readonly elsewhere?: readonly string[];
  /** Part of the message with which the schema refuses it, or codes of its problems. */
  readonly invalid?: string;
  readonly problems?: readonly string[];
  readonly record?: Record<string, unknown>;
  readonly observed?: unknown;
  readonly finding?: unknown;
  readonly effects?: unknown;
}

interface CaseFacts {
  readonly has?: readonly ("dpkg" | "systemd")[];
  readonly packages?: Record<string, { instances?: readonly string[]; providedBy?: readonly string[] } | null>;
  readonly paths?: Record<string, Partial<NonNullable<PathFact["found"]>> | null>;
  readonly units?: Record<string, Partial<UnitFact>>;
  readonly texts?: Record<string, string | null>;
  readonly pending?: Record<string, PendingRecord>;
}

/** All cases of test/cases/<type>/*.yaml. Manifests are read as the product reads them: every scalar a string. */
export function readCases(type: string): ResourceCase[] {
  const folder = new URL(`../cases/${type}/`, import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.flatMap((name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    const typed = parse(text, { schema: "core" }) as ResourceCase[];
    const written = parse(text, { schema: "failsafe" }) as ResourceCase[];
    return typed.map((one, index): ResourceCase => {
      const { declared, above, below } = written[index] as ResourceCase;
      return { ...one, declared, ...(above === undefined ? {} : { above }), ...(below === undefined ? {} : { below }) };
    });
  });
}

/** A resource as the loader makes it, from a record that its schema accepts. */
export function declare(written: Record<string, unknown>, role = "edge"): Declared {
  const type = RESOURCE_CATALOGUE.find((one) => one.type === written.type);
  if (type === undefined) throw new Error(`no type ${String(written.type)}`);
  const record = type.schema.parse(written) as ResourceRecord & { content?: string; source?: string; state?: string };
  const text = record.content ?? (record.source === undefined ? undefined : `content of ${record.source}`);
  return { role, record, content: text === undefined || record.state === "absent" ? null : textContent(text) };
}

/** The node that templates of cases speak of. */
export const CASE_NODE = {
  name: "web-01",
  address: "203.0.113.10",
  class: "server",
  os: "linux",
  labels: { region: "eu" },
  vars: { workers: "4" },
};

/** As a run sees it. The hash of a secret is its length here, which is all that a case needs to tell values apart. */
export function bound(one: ResourceCase, resource: Declared): Declared {
  const secrets = {
    valueOf: (reference: string) => one.secrets?.[reference] ?? null,
    hash: (value: string) => `hash of ${value.length}`,
  };
  return resourceType(resource.record.type).bind?.(resource, { secrets, scope: nodeScope(CASE_NODE) }) ?? resource;
}

export function caseContext(one: ResourceCase, resource: Declared): CompareContext {
  const above = (one.above ?? []).map((written) => declare(written));
  const below = (one.below ?? []).map((written) => declare(written));
  const changing = above.filter(({ record }) => one.changing?.includes(record.id));
  const claims = changing.flatMap(({ record }) => resourceType(record.type).claims(record));
  return {
    changing: new Set([...claims, ...(one.elsewhere ?? [])]),
    changingIds: new Set(one.changing ?? []),
    earlierDrift: (one.changing ?? []).length + (one.elsewhere ?? []).length > 0,
    siblings: [...above, resource, ...below],
  };
}

export function caseFacts(facts: CaseFacts = {}): NodeFacts {
  const map = <From, To>(
    from: Record<string, From> | undefined,
    to: (value: From, key: string) => To,
  ): Map<string, To> => new Map(Object.entries(from ?? {}).map(([key, value]) => [key, to(value, key)]));
  return {
    identity: { machineId: null, kernel: "Linux", has: new Set(facts.has ?? ["dpkg", "systemd"]) },
    packages: map(facts.packages, packageFact),
    paths: map(facts.paths, pathFact),
    units: map(facts.units, unitFact),
    texts: map(facts.texts, (text) => (text === null ? null : new TextEncoder().encode(text))),
    pending: map(facts.pending, (record) => record),
    fence: null,
    busy: false,
    lastRun: null,
    owned: { resources: [], rejected: 0 },
  };
}

/** `hold ok installed 1.2 amd64` is an instance; `foreign` at the end makes it one of another architecture. */
function packageFact(fact: NonNullable<CaseFacts["packages"]>[string]): PackageFact {
  const instances = (fact?.instances ?? []).map((words) => {
    const [want = "", flag = "", status = "", version = "", architecture = "", foreign] = words.split(" ");
    return { want, flag, status, version, architecture, native: foreign === undefined };
  });
  return { instances, providedBy: fact?.providedBy ?? [] };
}

/** `content` stands for its digest and size. */
function pathFact(found: (Partial<NonNullable<PathFact["found"]>> & { content?: string }) | null): PathFact {
  if (found === null) return { found: null };
  const { content, ...rest } = found;
  const bytes = content === undefined ? null : byteContent(new TextEncoder().encode(content));
  return {
    found: {
      type: "file",
      mode: "0644",
      owner: "root",
      group: "root",
      uid: 0,
      gid: 0,
      size: bytes?.size ?? 0,
      sha256: bytes?.sha256 ?? null,
      target: null,
      empty: null,
      ...rest,
    },
  };
}

/** An enabled service that runs, unless the case says otherwise. */
function unitFact(fact: Partial<UnitFact>, key: string): UnitFact {
  const id = key.includes("//") ? key.slice(key.indexOf("//") + 2) : key;
  return {
    reachable: true,
    id,
    loadState: "loaded",
    activeState: "active",
    subState: "running",
    unitFileState: "enabled",
    fragmentPath: `/etc/systemd/system/${id}`,
    type: "simple",
    remainAfterExit: false,
    result: "success",
    restarts: 0,
    needDaemonReload: false,
    hasRun: true,
    referenced: true,
    skipped: false,
    activeForMs: 3_600_000,
    environmentFiles: [],
    ...fact,
  };
}
