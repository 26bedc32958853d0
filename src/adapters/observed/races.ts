import { setTimeout as delay } from "node:timers/promises";
import type { GitRefusal } from "../git-remote.ts";

/** Somebody else was first; `words` are git's. */
export interface Raced {
  readonly kind: "raced";
  readonly words: string;
}

/** How often a lost race is run again before it is said that it was lost. */
const MOST_TRIES = 24;

/** Runs `attempt` (told its number, from 1) until it is not raced, with drawn pauses, so that those who met do not meet again. */
export async function untilWon<Answer extends { readonly kind: string }>(
  attempt: (number: number) => Promise<Answer | Raced>,
): Promise<Exclude<Answer, Raced> | GitRefusal> {
  for (let number = 1; ; number++) {
    const answer = await attempt(number);
    if (!isRaced(answer)) return answer as Exclude<Answer, Raced>;
    if (number === MOST_TRIES) {
      const message = `others were first, ${MOST_TRIES} times: ${answer.words}`;
      return { kind: "failed", code: "race-lost", message, hint: "try again; see who writes to the record so often" };
    }
    await delay(Math.random() * Math.min(3000, 40 * 2 ** number));
  }
}

function isRaced(answer: { readonly kind: string }): answer is Raced {
  return answer.kind === "raced";
}
