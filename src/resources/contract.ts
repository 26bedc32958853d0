import type { z } from "zod";
import type { ResourceTypeName, Severity, Verb } from "../model/drift-item.ts";
import type { FileContent } from "../model/file-content.ts";
import type { NodeEffect } from "../model/node-effect.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { NodeQuestions } from "../model/node-question.ts";
import type { TemplateScope } from "../templates/render-template.ts";
import type { ResourceDocs } from "./resource-docs.ts";

/** The record of a resource as the manifest declares it, defaults filled in (host-state §2). */
export interface ResourceRecord {
  readonly type: ResourceTypeName;
  readonly id: string;
}

/** A record at its place in a role, with the bytes it ships. */
export interface Declared<R extends ResourceRecord = ResourceRecord> {
  readonly role: string;
  readonly record: R;
  /** Of a type that ships bytes and a resource that is present; null otherwise. */
  readonly content: FileContent | null;
  /** Once bound to a run ({@link ResourceType.bind}): what its secrets are. */
  readonly secrets?: SecretValues;
}

/** The secrets of one run, as far as they are to be had. */
export interface SecretValues {
  /** By reference as written, `env:API_TOKEN`; null: this run does not have it. */
  valueOf(reference: string): string | null;
  /** What a report may say of a value: keyed anew in each run (DESIGN §3.2). */
  hash(value: string): string;
}

/** What a resource may take in from the run and the node before it is compared. */
export interface Binding {
  readonly secrets: SecretValues;
  /** What templates may name. */
  readonly scope: TemplateScope;
}

/** The observed-state record of host-state §3; null when the resource is absent on the node. */
export type Observed = Readonly<Record<string, unknown>>;

/** What differs, and the one verb that must come first; everything else that has to be done rides in `params`. */
export interface Finding {
  readonly verb: Verb;
  readonly severity: Severity;
  /** Stable codes, most important first; also shown as `params.reasons`. */
  readonly reasons: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a comparison may know beside the resource itself. */
export interface CompareContext {
  /** Claims (see {@link ResourceType.claims}) of resources that stand earlier on this node and are to change. */
  readonly changing: ReadonlySet<string>;
  /** Ids of resources of the same role that are to change. */
  readonly changingIds: ReadonlySet<string>;
  /** Some resource before this one is to change, so that what is missing now may be there then. */
  readonly earlierDrift: boolean;
  /** Resources of the same role, in order. */
  readonly siblings: readonly Declared[];
}

/** A complaint about one record that its schema cannot express; `key` is relative to the record. */
export interface Problem {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

/** What a resource needs from the units that depend on it (DESIGN §3.2: restart_on, reload_on, implied files). */
export interface Trigger {
  readonly unit: { readonly name: string; readonly user: string | null };
  readonly how: "restart" | "reload";
}

/**
 * One resource type: its schema, its query, its comparison and its verbs (host-state §2–§5). All functions are pure and
 * take all they need. A new type is one new file and one line in `index.ts`; a new kind of question or effect is one file
 * under `shell/` and one case in the in-memory node.
 */
export interface ResourceType<R extends ResourceRecord = ResourceRecord> {
  readonly type: R["type"];
  /** One line for the docs. */
  readonly summary: string;
  /** What is asked of the node, for the docs. */
  readonly query: string;
  /** The rest of its page. */
  readonly docs: ResourceDocs;
  /** Strict object over failsafe strings; fills defaults, the id included. */
  readonly schema: z.ZodType<R>;
  /** Rules over one record and its role. */
  problems(resource: Declared<R>, siblings: readonly Declared[]): readonly Problem[];
  /** Fills in what only a run knows, before anything is compared. */
  bind?(resource: Declared<R>, binding: Binding): Declared<R>;
  /** References to secrets in the record, as written. */
  secretRefs?(record: R): readonly string[];
  /** Path of the file whose content people may be shown; a type that can hold secrets has none. */
  shownPath?(record: R): string;
  /** What the record owns on a node, `path:/etc/x`, `unit:caddy.service`, `package:caddy`: two roles must not differ there. */
  claims(record: R): readonly string[];
  questions(record: R): NodeQuestions;
  /** The observed-state record, reduced from the answers (host-state §3). */
  observe(resource: Declared<R>, facts: NodeFacts): Observed | null;
  /** Null: the node is as declared. */
  compare(resource: Declared<R>, facts: NodeFacts, context: CompareContext): Finding | null;
  /**
   * What taking a declared resource away means, should it leave desired state (DESIGN §3.2): the rest of a record of this
   * type, as a manifest would write it. `stays`: it cannot be taken away. null: it was not there to begin with.
   */
  removal(record: R): Readonly<Record<string, string>> | "stays" | null;
  /** What `verb(params)` does, in order. Never called for `noop`. */
  effects(resource: Declared<R>, finding: Finding, facts: NodeFacts): readonly NodeEffect[];
  /**
   * Does a change of `other` make this resource's unit due for a restart or reload? `other` may be of another role;
   * `siblings` are the resources of this one's role.
   */
  trigger?(resource: Declared<R>, other: Declared, facts: NodeFacts, siblings: readonly Declared[]): Trigger | null;
}
