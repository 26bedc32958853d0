import type { Role } from "../desired/desired-state.ts";
import type { OwnedChange, OwnedResource } from "../model/owned-resource.ts";
import type { Declared } from "../resources/contract.ts";
import type { DriftEntry } from "./drift.ts";
import type { ReleaseDrift } from "./release-drift.ts";
import { type OwnedReading, ownedResource } from "./released.ts";

type After = OwnedChange["after"];

/** What a run is about to do, as far as the record of what is rollcall's is concerned. */
export interface OwnedPlan {
  readonly reading: OwnedReading;
  readonly release: ReleaseDrift;
  /** All drift of the node. */
  readonly entries: readonly DriftEntry[];
  /** Of it, what the run's steps are about, in their order. */
  readonly acted: readonly DriftEntry[];
  /** All that the node has, in apply order. */
  readonly roles: readonly Role[];
  /** Names of the roles that the run is about; null: all. */
  readonly only: ReadonlySet<string> | null;
}

/**
 * The record as a run leaves it. Recorded are the resources of enforced roles that are as declared or that a step makes so;
 * one whose step fails is not recorded anew, and stays where it already was. Before the first step stands everything that
 * may come to be there, so that nothing is lost when the run is cut off (docs/decisions/011).
 */
export function ownedChange(plan: OwnedPlan): OwnedChange {
  const { reading, release } = plan;
  const settled = new Set(release.settled);
  const stepOf = new Map(plan.acted.map((entry, step) => [entry.release?.owned ?? entry.resource, step]));
  const leaving: After = reading.released
    .filter(({ owned }) => !settled.has(owned))
    .map(({ owned }) => ({ resource: owned, only: until(stepOf.get(owned)) }));
  const needed: After = reading.needed.map(({ owned }) => ({ resource: owned, only: null }));
  const after = [...leaving, ...needed, ...declaredEntries(plan, stepOf)];
  return { before: [...release.settled, ...after.map(({ resource }) => resource)], after };
}

function until(step: number | undefined): After[number]["only"] {
  return step === undefined ? null : { step, done: false };
}

function declaredEntries(plan: OwnedPlan, stepOf: ReadonlyMap<Declared | OwnedResource, number>): After {
  const known = new Map(plan.reading.declared.map(({ entry, by }) => [keyOf(by), entry.owned]));
  const differing = new Map(plan.entries.map((entry) => [keyOf(entry.resource), entry]));
  return plan.roles.flatMap((role) => {
    const inScope = role.mode === "enforce" && (plan.only === null || plan.only.has(role.name));
    return role.resources.flatMap((resource): After => {
      const own = ownedResource(resource);
      const before = known.get(keyOf(resource));
      if (own === null) return [];
      if (before !== undefined) return [{ resource: inScope ? own : before, only: null }];
      return inScope ? newEntry(own, differing.get(keyOf(resource)), stepOf) : [];
    });
  });
}

function newEntry(
  own: OwnedResource,
  entry: DriftEntry | undefined,
  stepOf: ReadonlyMap<Declared | OwnedResource, number>,
): After {
  if (entry === undefined) return [{ resource: own, only: null }];
  const step = stepOf.get(entry.resource);
  return step === undefined ? [] : [{ resource: own, only: { step, done: true } }];
}

function keyOf({ role, record }: Declared): string {
  return `${role} ${record.id}`;
}
