import type { Clock, HeldLock } from "../ports.ts";

/** Why a run ends before it is through. */
export type Stop =
  | { readonly reason: "budget" | "interrupted" }
  /** Somebody else holds the fleet's lock: nothing more is done, and nothing recorded. */
  | { readonly reason: "lock-lost"; readonly by: string }
  /** What was done could not be recorded: codes are the store's. */
  | { readonly reason: "unrecorded"; readonly code: string; readonly message: string; readonly hint: string };

export interface BrakeSettings {
  readonly clock: Clock;
  /** null: as long as it takes. */
  readonly deadline: Date | null;
  readonly lock: HeldLock | null;
  /** Somebody asked this process to end. */
  readonly interrupted: () => boolean;
}

/** Asked before each wave and each node (DESIGN §4). Once it stops, the run never goes on. */
export class Brakes {
  readonly #settings: BrakeSettings;
  #stop: Stop | null = null;

  constructor(settings: BrakeSettings) {
    this.#settings = settings;
  }

  get stop(): Stop | null {
    return this.#stop;
  }

  pull(stop: Stop): void {
    this.#stop ??= stop;
  }

  async mayGoOn(): Promise<boolean> {
    const { clock, deadline, lock, interrupted } = this.#settings;
    if (interrupted()) this.pull({ reason: "interrupted" });
    if (deadline !== null && clock.now() >= deadline) this.pull({ reason: "budget" });
    if (this.#stop !== null) return false;
    const kept = await lock?.keep();
    if (kept !== undefined && kept.lost !== null) this.pull({ reason: "lock-lost", by: kept.lost });
    return this.#stop === null;
  }
}
