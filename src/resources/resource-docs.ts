import type { Severity, Verb } from "../model/drift-item.ts";

/** What a type's page says beside what its schema knows: docs/resources/ is written from this and nothing else. */
export interface ResourceDocs {
  /** One resource as it stands in a manifest's list, YAML. */
  readonly example: string;
  readonly verbs: readonly VerbDoc[];
  /** What makes a resource differ, most important first. */
  readonly reasons: readonly ReasonDoc[];
}

export interface VerbDoc {
  readonly verb: Verb;
  readonly does: string;
  /** Of `action_to_apply.params`, `reasons` apart: name → meaning. */
  readonly params: Readonly<Record<string, string>>;
}

export interface ReasonDoc {
  /** As they stand in `params.reasons`. */
  readonly codes: readonly [string, ...string[]];
  readonly severity: Severity;
  readonly means: string;
}
