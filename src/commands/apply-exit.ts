import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import { EXIT } from "./result.ts";

/**
 * A node that was refused before anything ran counts as refused only when nothing else went wrong. Nobody was turned to,
 * because all are down, declined, claimed or disabled: that is no success (DESIGN §3.4).
 */
export function applyExit(outcomes: readonly NodeOutcome[]): number {
  if (outcomes.length > 0 && outcomes.every(({ outcome }) => outcome === "skipped")) return EXIT.failed;
  const bad = outcomes.filter(({ outcome }) => !OUTCOMES[outcome].good);
  if (bad.length === 0) return EXIT.ok;
  return bad.every(({ outcome }) => REFUSALS.has(outcome)) ? EXIT.refused : EXIT.failed;
}

const REFUSALS = new Set(["identity-mismatch", "duplicate-machine"]);
