import { z } from "zod";
import { RESOURCE_TYPES, SEVERITIES, VERBS } from "./drift-item.ts";
import { NODE_OSES } from "./node.ts";
import { commitId, count, digest, label, moment, words } from "./recorded-scalar.ts";
import { SKIP_REASONS, STRATEGY_NAMES, waveReasonsSchema } from "./rollout-event.ts";
import { name, unitId } from "./scalar.ts";
import { UNIT_KINDS } from "./unit.ts";

/**
 * `plan.v1` (DESIGN §5, §6): what a merge would do, as data. The pull request comment, the terminal and scripts read this and
 * nothing else. The same desired state, record and time give the same bytes: there is no run id and no clock in it. It holds
 * no secret and no hash of one; text in it came from git and from nodes and is not safe for a terminal as it is.
 */

/** How a fact came to be known. `desired`: it follows from what is declared, on a node that proved the base. */
export const BASES = ["live", "desired", "audit", "unknown"] as const;
export type Basis = (typeof BASES)[number];

/** What an item comes to. `keep`: it left desired state and stays on the node. `obstacle`: it cannot be done, with the reason. */
export const ITEM_KINDS = ["create", "change", "remove", "restart", "keep", "obstacle"] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** What a reviewer decides about, what weighs most first. */
export const DECISION_CODES = [
  /** A resource is taken away from nodes. */
  "removes",
  /** What a node's owner changed there by hand is written over. */
  "overwrites",
  /** A class has no healthy node left while the wave is at work. */
  "last-healthy",
  /** No node of another class or OS sees the change before all the others. */
  "second-look-missing",
  /** A warning of the strategy about its first wave, or a canary that was never read. */
  "canary",
  /** A gate was bypassed, by somebody and for a reason. */
  "escape",
  /** Only a person's word will say that it is in place. */
  "unprovable",
  /** Nodes whose present state nobody knows: whatever stands there is written over. */
  "unproved",
  /** Something in it cannot be done as declared. */
  "obstacle",
  /** A rollout stands still until somebody speaks. */
  "stopped",
  /** Somebody is behind and nobody can be attempted. */
  "nobody",
] as const;
export type DecisionCode = (typeof DECISION_CODES)[number];

const names = z.array(name);

const finding = z.strictObject({
  code: label,
  message: words,
  hint: words,
  /** Path in the repository; null: it is about no file. */
  file: words.nullable(),
  line: z.int().min(1).nullable(),
});

const decision = z.strictObject({
  code: z.enum(DECISION_CODES),
  unit: unitId.nullable(),
  /** What it is about: a resource's id, a gate, a class. */
  subject: words,
  nodes: names,
  /** One sentence. */
  text: words,
});

const bytes = count.nullable();
/** See {@link ContentComparison}; `changed` is a plan's own: what stands on the node is not what the base declares. */
const contentSchema = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("text"), diff: z.string() }),
  z.strictObject({ status: z.literal("binary"), from_bytes: bytes, to_bytes: bytes }),
  z.strictObject({ status: z.literal("too-large"), from_bytes: bytes, to_bytes: bytes }),
  z.strictObject({ status: z.literal("rewritten"), from_lines: count, to_lines: count }),
  z.strictObject({ status: z.literal("withheld"), message: words }),
  z.strictObject({ status: z.literal("unread"), message: words }),
  z.strictObject({ status: z.literal("changed"), message: words }),
]);
export type PlannedContent = z.output<typeof contentSchema>;

const item = z.strictObject({
  role: name,
  /** The resource's id. */
  resource: z.string().min(1).max(4200),
  type: z.enum(RESOURCE_TYPES),
  kind: z.enum(ITEM_KINDS),
  verb: z.enum(VERBS),
  /** As in a drift item, without the reasons. */
  params: z.record(z.string(), z.unknown()),
  severity: z.enum(SEVERITIES),
  /** Stable codes, most important first. */
  reasons: z.array(label),
  basis: z.enum(BASES),
  /** One line: why it is to be expected, or what nobody knows about it. */
  why: words,
  /** Of what writes or removes a file that people may see; null: there is nothing to show. */
  content: contentSchema.nullable(),
});
export type PlannedItem = z.output<typeof item>;

/** Nodes of one class on which a unit does the very same things. */
const group = z.strictObject({
  /** Digest of its items: equal in two documents where they do the same. */
  same: digest,
  class: words,
  nodes: names.min(1),
  items: z.array(item),
});
export type PlannedGroup = z.output<typeof group>;

const counts = { create: count, change: count, remove: count, restart: count, keep: count, obstacle: count };
export const countsSchema = z.strictObject(counts);
export type PlanCounts = z.output<typeof countsSchema>;

/** See `UnitNext`; what a kind does not have is null or empty. */
const next = z.strictObject({
  kind: z.enum(["nothing", "observe", "start", "continue", "stopped", "nobody", "waiting"]),
  because: z.enum(["first", "changed", "joined", "heal", "leaving", "restarted"]).nullable(),
  round: z.int().min(1).nullable(),
  /** Of the rollout that stands. */
  state: label.nullable(),
  detail: words,
  /** The command that moves it on; may be empty. */
  hint: words,
  /** Units that it waits for. */
  waiting_on: z.array(unitId),
});

const wave = z.strictObject({
  nodes: names.min(1),
  /** Units of systemd that restart or reload in it, and where. */
  restarts: z.array(z.strictObject({ unit: words, how: z.enum(["restart", "reload"]), nodes: names.min(1) })),
});

const plannedUnit = z.strictObject({
  unit: unitId,
  kind: z.enum(UNIT_KINDS),
  title: words,
  /** Of a role. `from`: what the base has, or most of its targets proved; null: nothing yet. */
  version: z.strictObject({ from: count.nullable(), to: count }).nullable(),
  digest,
  risk: z.enum(["risky", "safe"]),
  strategy: z.enum(STRATEGY_NAMES),
  /** False: it is only observed, and nothing of it is done. */
  enforced: z.boolean(),
  provable: z.boolean(),
  next,
  /** Those that are still to come, of a rollout that goes on. Empty: nothing is attempted. */
  waves: z.array(wave),
  reasons: waveReasonsSchema.nullable(),
  /** All nodes that should have it, or must let go of it. */
  targets: z.array(z.strictObject({ node: name, class: words, action: z.enum(["converge", "release"]) })),
  left_out: z.array(z.strictObject({ node: name, reason: z.enum(SKIP_REASONS), detail: words })),
  /** Targets that will still be behind when all waves are through, and why. */
  pending: z.array(z.strictObject({ node: name, reason: label, detail: words })),
  /** Units that go before it on a node that they share. */
  after: z.array(unitId),
  /** What can go wrong before anybody has seen a result. */
  blast_radius: z.strictObject({
    nodes: names,
    restarts: z.array(words),
    /** Classes that have no healthy node but those of one wave, in any wave. */
    last_healthy: z.array(z.strictObject({ class: words, wave: count, nodes: names })),
  }),
  rollback: z.strictObject({
    /** The command, or one line. */
    how: words,
    tier: z.enum(["declared", "command", "none"]),
  }),
  duration: z.strictObject({
    /** From how long it took before; null: it never ran. */
    expected_ms: count.nullable(),
    /** Until the next scheduled run goes on, should this one's budget end; null: it is not known here. */
    worst_wait_ms: count.nullable(),
  }),
  counts: countsSchema,
  groups: z.array(group),
  supersedes: z.array(z.strictObject({ id: words, state: label })),
  escapes: z.array(z.strictObject({ gate: label, reason: words, by: label, at: moment.nullable() })),
  /** Other open pull requests that touch the same; whoever knows them fills this in. */
  conflicts: z.array(z.strictObject({ with: words, why: words })),
});
export type PlannedUnit = z.output<typeof plannedUnit>;

const nodeFacts = z.strictObject({
  node: name,
  class: words,
  os: z.enum(NODE_OSES),
  /** `never`: it never answered. */
  basis: z.enum(["live", "audit", "never"]),
  observed_at: moment.nullable(),
  /** It did not answer the last time, or has been silent for too long. */
  silent: z.boolean(),
  down: z.strictObject({ reason: words, since: words, recheck: words }).nullable(),
});

const revision = { commit: commitId.nullable(), generation: z.int().min(1) };

export const planDocumentSchema = z.strictObject({
  plan_version: z.literal(1),
  /** What nodes are taken to be at: the commit asked for, or the one last reconciled; null: none was yet. */
  base: z.strictObject({ ...revision, source: z.enum(["asked", "reconciled"]) }).nullable(),
  /** `commit` is null where files are not committed yet. `generation` is null where nobody can read it. */
  head: z.strictObject({ ...revision, generation: revision.generation.nullable() }),
  /** The record that it was made from; `at` is the newest sign of life in it. */
  observed: z.strictObject({ commit: commitId.nullable(), at: moment.nullable() }),
  live: z.boolean(),
  /** Not empty: a merge would be refused, and there may be nothing else in the document. */
  blocks: z.array(finding),
  warnings: z.array(finding),
  decisions: z.array(decision),
  /** `units` and `nodes`: those that something is done to; `of_nodes`: active ones in the roster. */
  counts: z.strictObject({ ...counts, units: count, nodes: count, of_nodes: count }),
  worst_risk: z.enum(["none", "safe", "risky"]),
  /** In the order in which a run takes them; those that need nothing are not in it. */
  units: z.array(plannedUnit),
  /** Targets of those units, by name. */
  nodes: z.array(nodeFacts),
});
export type PlanDocument = z.output<typeof planDocumentSchema>;
export type PlanFinding = z.output<typeof finding>;
export type PlanDecision = z.output<typeof decision>;
export type PlannedNode = z.output<typeof nodeFacts>;
