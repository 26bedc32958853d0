import type { Role } from "../desired/desired-state.ts";
import type { Verb } from "../model/drift-item.ts";
import type { NodeFacts } from "../model/node-facts.ts";
import type { OwnedResource } from "../model/owned-resource.ts";
import type { ReleasedFate } from "../model/released-fate.ts";
import type { CompareContext, Declared, Finding } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";
import { claimsOf } from "./declared-claims.ts";
import type { DriftEntry } from "./drift.ts";
import { driftItem } from "./drift-item.ts";
import { isDeclaredUnderOtherName, type OwnedEntry } from "./released.ts";

/** What is to be known of a fleet to judge what a node's roles have released. */
export interface ReleaseScope {
  readonly host: string;
  /** All that the node has. */
  readonly roles: readonly Role[];
  /** Every manifest of the repository: a role that has left the node still says what becomes of its resources. */
  readonly manifests: ReadonlyMap<string, Role>;
  /** Names of the roles that the run is about; null: all. */
  readonly only: ReadonlySet<string> | null;
}

export interface ReleaseDrift {
  /** What reports show, in the order in which it is taken away: the reverse of apply. */
  readonly entries: readonly DriftEntry[];
  /** Leaves the record with the next apply: it is kept and was shown, or there is nothing left of it. */
  readonly settled: readonly OwnedResource[];
}

const REMOVALS = new Set<Verb>(["remove", "stop", "disable"]);

/**
 * What becomes of released resources (DESIGN §3.2): kept, unless their role's manifest says `on_release: remove`. Kept ones
 * are a `warn` that an apply takes out of the record, since the node is then no longer rollcall's in that. What is to go
 * and cannot is a `warn` too, which stays until it can.
 */
export function releaseDrift(
  released: readonly OwnedEntry[],
  scope: ReleaseScope,
  facts: NodeFacts,
  at: Date,
): ReleaseDrift {
  const entries: DriftEntry[] = [];
  const settled: OwnedResource[] = [];
  const changing = new Set<string>();
  const kept = keptClaims(released, scope);
  const inScope = released.filter(({ owned }) => scope.only === null || scope.only.has(owned.role));
  for (const entry of inScope.toReversed()) {
    const { owned, gone } = entry;
    const fated = isKeptElsewhere(entry, scope, kept) ? "keep" : fate(owned, scope);
    const finding = gone === null ? left([], fated) : judge(gone, fated, scope, facts, changing);
    if (finding === null || (fated !== "observe" && (fated === "keep" || gone === null))) settled.push(owned);
    if (finding === null) continue;
    entries.push(entryOf(entry, finding, scope, facts, at));
    if (finding.verb !== "noop" && gone !== null) for (const claim of claimsOf(gone)) changing.add(claim);
  }
  return { entries, settled };
}

function judge(
  gone: Declared,
  fated: Fate,
  scope: ReleaseScope,
  facts: NodeFacts,
  changing: ReadonlySet<string>,
): Finding | null {
  const found = difference(gone, scope, facts, changing);
  if (found === null) return null;
  return fated === "remove" && REMOVALS.has(found.verb) ? removed(found) : left(found.reasons, fated);
}

function entryOf(
  { owned, gone }: OwnedEntry,
  finding: Finding,
  scope: ReleaseScope,
  facts: NodeFacts,
  at: Date,
): DriftEntry {
  const resource = gone ?? { role: owned.role, record: { type: owned.type, id: owned.id }, content: null };
  const role = scope.manifests.get(owned.role) ?? missingRole(owned.role);
  const observed = gone === null ? null : resourceType(owned.type).observe(gone, facts);
  const ready = finding.verb !== "noop" && gone !== null && isReady(gone, scope, facts);
  const item = driftItem({ host: scope.host, role: role.name, resource, finding, observed, at });
  return { role, resource, finding, item, release: { owned, ready } };
}

/** Two roles may have had the same thing, and only one of them lets go of it. */
function keptClaims(released: readonly OwnedEntry[], scope: ReleaseScope): ReadonlySet<string> {
  const kept = released.filter(({ owned }) => fate(owned, scope) !== "remove");
  return new Set(kept.flatMap(({ gone }) => (gone === null ? [] : claimsOf(gone))));
}

function isKeptElsewhere({ owned, gone }: OwnedEntry, scope: ReleaseScope, kept: ReadonlySet<string>): boolean {
  return gone !== null && fate(owned, scope) === "remove" && claimsOf(gone).some((claim) => kept.has(claim));
}

type Fate = ReleasedFate;

/** `observe`: its role only reports, so that it neither goes nor leaves the record. */
function fate({ role }: OwnedResource, { manifests }: ReleaseScope): Fate {
  const manifest = manifests.get(role);
  if (manifest === undefined) return "keep";
  return manifest.mode === "observe" ? "observe" : manifest.onRelease;
}

function difference(
  gone: Declared,
  { roles }: ReleaseScope,
  facts: NodeFacts,
  changing: ReadonlySet<string>,
): Finding | null {
  if (isDeclaredUnderOtherName(gone, roles, facts)) return null;
  const context: CompareContext = { changing, changingIds: new Set(), earlierDrift: false, siblings: [] };
  return resourceType(gone.record.type).compare(gone, facts, context);
}

/** A directory that this run empties is judged again once it is empty: it may hold what is not ours. */
function isReady(gone: Declared, scope: ReleaseScope, facts: NodeFacts): boolean {
  const alone = difference(gone, scope, facts, new Set());
  return alone !== null && REMOVALS.has(alone.verb);
}

function removed(found: Finding): Finding {
  return { ...found, reasons: ["released", ...found.reasons], params: { ...found.params, on_release: "remove" } };
}

/** Why it cannot go is of interest only where it was to go. */
function left(obstacles: readonly string[], fated: Fate): Finding {
  const reasons = fated === "remove" ? obstacles : fated === "observe" ? ["observed-only"] : [];
  return { verb: "noop", severity: "warn", reasons: ["released", ...reasons], params: { on_release: fated } };
}

/** Stands for a role whose manifest is gone. */
function missingRole(name: string): Role {
  return {
    name,
    version: 1,
    description: "",
    requires: [],
    mutuallyExclusive: [],
    mode: "enforce",
    risk: "risky",
    onRelease: "keep",
    rollout: {},
    resources: [],
    digest: "",
  };
}
