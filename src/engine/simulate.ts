import type { DesiredState } from "../desired/desired-state.ts";
import type { RolloutEvent } from "../model/rollout-event.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import { readRecord } from "../plan/read-record.ts";
import type { SimulatedFaults } from "../plan/simulated-faults.ts";
import type { ImaginedMachine, ObservedFiles, ObservedStore } from "../ports.ts";
import { IMAGINED_SECRETS, imaginedRun } from "./imagined-run.ts";
import { Ledger } from "./ledger.ts";
import { imagination } from "./predict.ts";
import { madeUp } from "./predict-node.ts";
import type { PredictionInput } from "./prediction.ts";
import { type ReconcileResult, reconcile } from "./reconcile.ts";
import { RoleDriver } from "./role-driver.ts";

export interface SimulationInput extends PredictionInput {
  readonly state: DesiredState;
  /** Of what is simulated, for its events. */
  readonly commit: string;
  readonly observed: ObservedFiles;
  readonly live: ObservedFiles;
  readonly faults: SimulatedFaults;
}

export interface Simulation {
  readonly runs: readonly SimulatedRun[];
  /** As it would be in the end. */
  readonly record: ObservedRecord;
}

interface SimulatedRun {
  readonly run_id: string;
  /** By rollout, in the order in which they were begun. */
  readonly rollouts: readonly { readonly id: string; readonly events: readonly RolloutEvent[] }[];
  /** null: the controller was killed, and said nothing any more. */
  readonly result: ReconcileResult | null;
}

/**
 * The merge run over a fleet that is only imagined, from the record as it is (DESIGN §1): the very engine, and nothing real is
 * touched. After a kill the next run goes on, as it would be dispatched.
 */
export async function simulate(input: SimulationInput): Promise<Simulation> {
  const machines = await imaginedFleet(input);
  const clock = { now: () => input.now };
  const store = input.simulator.store(input.observed, input.live, clock);
  const { killedAfterWave } = input.faults;
  const runs: SimulatedRun[] = [];
  if (killedAfterWave !== null)
    runs.push(await oneRun("run-1", killedAfter(store, killedAfterWave, "run-1"), machines, input));
  if (runs.every(({ result }) => result === null))
    runs.push(await oneRun(`run-${runs.length + 1}`, store, machines, input));
  const { observed, live } = await store.read();
  return { runs, record: readRecord(observed, live) };
}

async function imaginedFleet(input: SimulationInput): Promise<ReadonlyMap<string, ImaginedMachine>> {
  const machines = new Map<string, ImaginedMachine>();
  for (const { name, state, machineId } of input.state.nodes) {
    if (state === "retired") continue;
    const known = input.record.reports.get(name)?.machine_id ?? input.record.states.get(name)?.machine_id ?? null;
    const made = await madeUp(imagination(name, [], input).imagination, input, machineId ?? known);
    if (made !== undefined) machines.set(name, made.machine);
  }
  return machines;
}

class Killed extends Error {
  override readonly name = "Killed";
}

async function oneRun(
  runId: string,
  store: ObservedStore,
  machines: ReadonlyMap<string, ImaginedMachine>,
  input: SimulationInput,
): Promise<SimulatedRun> {
  const { state, commit, simulator, faults, now } = input;
  const takeOver = runId === "run-1" ? null : "the simulated controller was killed";
  const lock = await store.lock({ holder: "simulation", runId, leaseMs: 600_000, takeOver });
  if (lock.kind === "refused") throw new Error(lock.message);
  const alone = imaginedRun(simulator.transport(machines, faults.faults), now);
  const run = { ...alone, runId, lock: lock.lock, parallel: state.fleet.rollout.parallel };
  const ledger = await Ledger.open(store, {
    runId,
    actor: "simulation",
    clock: run.clock,
    secrets: run.secrets,
    lock: lock.lock,
    nodes: new Set(state.nodes.filter((node) => node.state === "active").map(({ name }) => name)),
  });
  const driver = new RoleDriver({ state, secrets: IMAGINED_SECRETS, record: ledger.record });
  const request = { state, commit, actor: "simulation", ledger, driver, budgetMs: null, marksReconciled: true };
  try {
    const result = await reconcile(request, run);
    await lock.lock.release();
    return { run_id: runId, rollouts: eventsOf(runId, ledger.record), result };
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    const { observed, live } = await store.read();
    return { run_id: runId, rollouts: eventsOf(runId, readRecord(observed, live)), result: null };
  }
}

function eventsOf(runId: string, { rollouts }: ObservedRecord): SimulatedRun["rollouts"] {
  return [...rollouts].flatMap(([id, events]) => {
    const own = events.filter((event) => event.run_id === runId);
    return own.length === 0 ? [] : [{ id, events: own }];
  });
}

/** The same store, whose process dies as soon as the record says that the wave is through. */
function killedAfter(store: ObservedStore, wave: number, runId: string): ObservedStore {
  return {
    read: () => store.read(),
    publish: (edit) => store.publish(edit),
    lock: (request) => store.lock(request),
    record: async (edit, options) => {
      const answer = await store.record(edit, options);
      const { observed, live } = await store.read();
      const passed = [...readRecord(observed, live).rollouts.values()].some((events) =>
        events.some((event) => event.event === "wave-passed" && event.wave === wave && event.run_id === runId),
      );
      if (passed) throw new Killed("the simulated controller was killed");
      return answer;
    },
  };
}
