import type { ForgeAnswer } from "../../model/forge.ts";
import { backoff, type Pace } from "./connection.ts";

const TRIES = 3;

/**
 * Makes something once. After an answer that was lost `find` looks whether it is there; only when it surely is not, it is
 * made again. `find` gets the time from which on it can have been made: some minutes before ours, because clocks differ.
 */
export async function lookFirst<T>(
  pace: Pace,
  make: () => Promise<ForgeAnswer<T>>,
  find: (since: Date) => Promise<ForgeAnswer<T | null>>,
): Promise<ForgeAnswer<T>> {
  const since = new Date(pace.now() - 120_000);
  for (let attempt = 1; ; attempt++) {
    const made = await make();
    if (made.kind === "ok" || (made.code !== "network" && made.code !== "server")) return made;
    await pace.sleep(backoff(attempt, pace.random()));
    const found = await find(since);
    if (found.kind === "failed") return made;
    if (found.value !== null) return { kind: "ok", value: found.value };
    if (attempt >= TRIES) return made;
  }
}
