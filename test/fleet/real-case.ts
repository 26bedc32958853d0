import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Role } from "../../src/desired/desired-state.ts";
import type { NodeFacts } from "../../src/model/node-facts.ts";
import { mergeQuestions, type NodeQuestions } from "../../src/model/node-question.ts";
import { compareNode, type DriftEntry } from "../../src/plan/drift.ts";
import { resourceType } from "../../src/resources/index.ts";
import { nodeScope } from "../../src/templates/node-scope.ts";
import { givenSecrets } from "../engine/given-secrets.ts";
import { CASE_NODE, declare } from "../resources/resource-case.ts";

/** One case that a real node judges: what stands on it, what is declared, and what check, apply and check again must say. */
export interface RealCase {
  readonly name: string;
  /** Shell that brings the node into the state to begin with. */
  readonly setup?: string;
  /** Records as in a manifest, in order. */
  readonly declared: readonly Record<string, unknown>[];
  /** Secrets by reference; all others are absent. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Items of the first check, see {@link brief}. */
  readonly before: readonly string[];
  /** `observed` of the first check's items, by resource id; only what is written is compared. */
  readonly observed?: Readonly<Record<string, unknown>>;
  /** What became of each step; all done when left out. */
  readonly acted?: readonly string[];
  /** Milliseconds between the last start and the second look. */
  readonly settle?: number;
  /** Items of the second check; none when left out. */
  readonly after?: readonly string[];
  /** Commands and what they print afterwards. */
  readonly holds?: Readonly<Record<string, string>>;
}

const CASES = new URL("../cases/", import.meta.url);

/** Every folder of test/cases that has cases for a real node. */
export const REAL_CASE_TYPES = readdirSync(CASES).filter((type) => existsSync(new URL(`${type}/real/`, CASES)));

/** Cases of test/cases/<type>/real/*.yaml; records are read as the product reads them. */
export function realCases(type: string): RealCase[] {
  const folder = new URL(`${type}/real/`, CASES);
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    const typed = parse(text, { schema: "core" }) as RealCase[];
    const written = parse(text, { schema: "failsafe" }) as RealCase[];
    return typed.map((one, index) => ({ ...one, declared: (written[index] as RealCase).declared }));
  });
}

export function roleOf(one: RealCase): Role {
  const resources = one.declared.map((written) => declare(written));
  for (const resource of resources) {
    const problems = resourceType(resource.record.type).problems(resource, resources);
    const errors = problems.filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new Error(`${one.name}: ${errors.map(({ message }) => message).join("; ")}`);
  }
  const binding = { secrets: givenSecrets(one.secrets), scope: nodeScope(CASE_NODE) };
  return {
    name: "edge",
    version: 1,
    description: one.name,
    requires: [],
    mutuallyExclusive: [],
    mode: "enforce",
    risk: "safe",
    onRelease: "keep",
    rollout: {},
    resources: resources.map((resource) => resourceType(resource.record.type).bind?.(resource, binding) ?? resource),
    digest: "",
  };
}

export function questionsOf(role: Role): NodeQuestions {
  return mergeQuestions(role.resources.map(({ record }) => resourceType(record.type).questions(record)));
}

export function compareRole(role: Role, facts: NodeFacts): readonly DriftEntry[] {
  return compareNode("n1", [role], facts, new Date(0));
}

/** `id: verb reasons`, with the severity before the verb when it is not drift. */
export function brief({ resource, finding }: DriftEntry): string {
  const severity = finding.severity === "drift" ? "" : `${finding.severity} `;
  return `${resource.record.id}: ${severity}${finding.verb} ${finding.reasons.join(" ")}`;
}
