import { gitObservedStore } from "../../src/adapters/observed/git-store.ts";
import { systemClock } from "../../src/adapters/system-clock.ts";
import { foldRollout } from "../../src/plan/fold-rollout.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import type { RolloutFleet } from "./rollout-fleet.ts";
import type { Snapshot } from "./snapshot.ts";

/** How a fleet and its record look to who does not know how they came about: without times and the names of runs. */
export interface End {
  /** By node, then by path. */
  readonly nodes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly record: object;
}

/** What each run leaves under a name, or with a number, of its own. */
const OF_RUNS = /^\/var\/lib\/rollcall\/(fence$|last$|runs\/)/;

/** Looks at the whole: every path that a node has written, markers, the newest rollout, the lock. */
export class RolloutEnd {
  readonly #world: RolloutFleet;

  constructor(world: RolloutFleet) {
    this.#world = world;
  }

  async seen(): Promise<End> {
    const snapshots = await this.#world.snapshots();
    const nodes = Object.entries(snapshots).map(([name, one]) => [name, portrait(one)] as const);
    return { nodes: Object.fromEntries(nodes), record: await this.#record() };
  }

  async #record(): Promise<object> {
    const store = gitObservedStore(this.#world.repository.folder, { branch: "observed", clock: systemClock });
    const { observed, live } = await store.read();
    const { states, reports, rollouts, damaged, reconciled } = readRecord(observed, live);
    const folded = [...rollouts.values()].flatMap((events) => foldRollout(events) ?? []);
    const newest = folded.sort((a, b) => a.generation - b.generation).at(-1);
    const markers = [...states].map(([node, { markers: own }]) => [
      node,
      own.map(({ unit, digest, verify_exit, grade, resources, machine_id }) => ({
        ...{ unit, digest, verify_exit, grade, resources, machine_id },
      })),
    ]);
    const lock = JSON.parse(this.#world.remote.message("refs/rollcall/lock"));
    return {
      markers: markers.sort(),
      items: [...reports].map(([node, { items }]) => [node, items]).sort(),
      rollout: {
        ...{ state: newest?.state, round: newest?.round, waves: newest?.waves, ignored: newest?.ignored },
        nodes: [...(newest?.nodes.values() ?? [])].map(({ node, state, grade }) => ({ node, state, grade })),
      },
      superseded: folded.filter(({ state }) => state !== "completed").map(({ state }) => state),
      isReconciled: reconciled?.generation === newest?.generation,
      ...{ damaged, lockedBy: lock.holder },
    };
  }
}

function portrait(seen: Snapshot): Readonly<Record<string, string>> {
  const kept = [...seen].filter(([path]) => !OF_RUNS.test(path));
  const lines = kept.map(([path, { type, mode, uid, gid, sha256 = "", target = "" }]) => [
    path,
    `${type} ${mode.toString(8)} ${uid}:${gid} ${sha256}${target}`,
  ]);
  return Object.fromEntries(lines.sort());
}
