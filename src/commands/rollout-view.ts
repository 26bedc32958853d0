import { loadDesired } from "../desired/load-desired.ts";
import { nearest } from "../desired/schema/nearest.ts";
import { hasErrors } from "../kit/diagnostic.ts";
import { unitId } from "../model/scalar.ts";
import { foldRollout } from "../plan/fold-rollout.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import { readRecord } from "../plan/read-record.ts";
import { readSegments } from "../plan/read-segments.ts";
import { roleUnits } from "../plan/role-units.ts";
import { type Rollout, TERMINAL } from "../plan/rollout.ts";
import type { Clock, ObservedFiles, ObservedStore, Repository } from "../ports.ts";
import type { Refusal } from "./result.ts";

/** The doors that the `rollout` verbs go through. */
export interface RolloutDoors {
  readonly repository: Pick<Repository, "main" | "at" | "workingTree">;
  /** Of the observed branch of that name. */
  readonly store: (branch: string) => ObservedStore;
  readonly clock: Clock;
}

export interface RolloutView {
  readonly store: ObservedStore;
  /** All rollouts of the record, by id. */
  readonly rollouts: readonly Rollout[];
  /** The digest that main asks for, by unit; null: main is not there or not valid, which must not keep anybody from pausing. */
  readonly wanted: ReadonlyMap<string, string> | null;
  /** Of rollouts' logs, `path: what is wrong`. */
  readonly damaged: readonly string[];
}

/** Reads; writes nothing. */
export async function readRollouts(doors: RolloutDoors): Promise<RolloutView> {
  const { state, merged } = await desired(doors.repository);
  const store = doors.store(state?.fleet.observedBranch ?? DEFAULT_BRANCH);
  const { observed, live } = await store.read();
  const record = readRecord(observed, live);
  const units = state === null || !merged ? null : roleUnits(state, record);
  return {
    store,
    rollouts: foldAll(record.rollouts),
    wanted: units === null ? null : new Map(units.map(({ id, digest }) => [id, digest])),
    damaged: record.damaged
      .filter(({ path }) => path.startsWith("rollouts/"))
      .map(({ path, message }) => `${path}: ${message}`),
  };
}

/** The branch of a main whose fleet.yaml cannot be read: rollouts must be stoppable then more than ever. */
const DEFAULT_BRANCH = "observed";

/** What is merged, as far as it is valid; the working tree, where there is no main, only says where the record is. */
async function desired(repository: RolloutDoors["repository"]) {
  const main = await repository.main();
  const files = main === null ? undefined : await repository.at(main.commit);
  const { state, diagnostics } = loadDesired(files ?? (await repository.workingTree()));
  return { state, merged: files !== undefined && !hasErrors(diagnostics) };
}

/** The rollouts of one unit in files that may be newer than the view. */
export function rolloutsOf(files: ObservedFiles, unit: string): readonly Rollout[] {
  const folder = `rollouts/${unit.replace(":", "/")}/`;
  const paths = files.paths.filter((path) => path.startsWith(folder));
  return foldAll(readSegments({ commit: files.commit, paths, read: (path) => files.read(path) }, []));
}

function foldAll(logs: ObservedRecord["rollouts"]): readonly Rollout[] {
  const folded = [...logs.values()].flatMap((events) => foldRollout(events) ?? []);
  return folded.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What a person named: `role:edge`, or one rollout of it, `role:edge@0123456789ab`. */
export interface NamedUnit {
  readonly unit: string;
  /** The beginning of a digest; null: the rollout that matters. */
  readonly digest: string | null;
}

export function namedUnit(written: string, { rollouts, wanted }: RolloutView): NamedUnit | Refusal {
  const at = written.lastIndexOf("@");
  const [unit, digest] = at === -1 ? [written, null] : [written.slice(0, at), written.slice(at + 1)];
  const known = [...new Set([...(wanted?.keys() ?? []), ...rollouts.map((rollout) => rollout.unit)])].sort();
  if (!unitId.safeParse(unit).success || !known.includes(unit)) return unknownUnit(unit, known);
  if (digest === null || /^[0-9a-f]{4,64}$/.test(digest)) return { unit, digest };
  const hint = `write the first digits of its digest, such as ${unit}@0123456789ab`;
  return { code: "unknown-rollout", message: `${digest} is no digest`, hint };
}

function unknownUnit(unit: string, known: readonly string[]): Refusal {
  const bare = known.find((candidate) => candidate.slice(candidate.indexOf(":") + 1) === unit);
  const near = bare ?? nearest(unit, known);
  const here = known.length === 0 ? "none yet" : known.slice(0, 12).join(", ");
  const hint = near === undefined ? `units here: ${here}` : `did you mean ${near}?`;
  return { code: "unknown-unit", message: `there is no unit ${unit}`, hint };
}

/**
 * The rollout that is meant: of several of one unit the one that has not ended, since that is what a run may be at work on;
 * else the one that main asks for; else the newest. null: the unit has none.
 */
export function chosenRollout(
  { unit, digest }: NamedUnit,
  rollouts: readonly Rollout[],
  wanted: RolloutView["wanted"],
): Rollout | Refusal | null {
  const own = rollouts.filter((rollout) => rollout.unit === unit).sort(newestFirst);
  if (digest !== null) return byDigest(unit, digest, own);
  const open = own.find(({ state }) => !TERMINAL.has(state));
  return open ?? own.find((rollout) => rollout.digest === wanted?.get(unit)) ?? own[0] ?? null;
}

function byDigest(unit: string, digest: string, own: readonly Rollout[]): Rollout | Refusal {
  const [found, other] = own.filter((rollout) => rollout.digest.startsWith(digest));
  if (found !== undefined && other === undefined) return found;
  const message =
    found === undefined ? `${unit} has no rollout ${digest}` : `${digest} fits several rollouts of ${unit}`;
  const ids = own.slice(0, 8).map(({ id }) => id);
  return { code: "unknown-rollout", message, hint: ids.length === 0 ? "it has none yet" : `it has ${ids.join(", ")}` };
}

/** By the moment when their last round was created; the id decides among equals, so that the order is always the same. */
function newestFirst(a: Rollout, b: Rollout): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.generation - a.generation || (a.id < b.id ? -1 : 1);
}

/** Whether main asks for this digest; null: nobody knows. */
export function isCurrent(rollout: Rollout, wanted: RolloutView["wanted"]): boolean | null {
  return wanted === null ? null : wanted.get(rollout.unit) === rollout.digest;
}

export function isRefusal(value: object): value is Refusal {
  return "code" in value && "hint" in value;
}
