import { describe, expect, test } from "vitest";
import { applyExit } from "../../src/commands/apply-exit.ts";
import { checkExit } from "../../src/commands/check.ts";
import { type NodeOutcome, OUTCOMES, type OutcomeCode } from "../../src/model/node-outcome.ts";

function outcomes(...codes: OutcomeCode[]): NodeOutcome[] {
  return codes.map((outcome, index) => ({ node: `n${index}`, outcome, message: "" }));
}

describe("check: 0, 1 drift, 4 some node not observed (DESIGN §5)", () => {
  test.each([
    [0, []],
    [0, ["converged", "skipped"]],
    [1, ["converged", "drift"]],
    [4, ["converged", "unreachable"]],
    [4, ["drift", "host-key-changed"]],
    [4, ["identity-mismatch"]],
  ] as const)("%d for %j", (code, codes) => expect(checkExit(outcomes(...codes))).toBe(code));
});

describe("apply: 0, 1 failed or not converged, 2 refused (DESIGN §5)", () => {
  test.each([
    [0, []],
    [0, ["converged", "skipped"]],
    // Nobody was turned to: never green.
    [1, ["skipped", "skipped"]],
    [1, ["converged", "failed"]],
    [1, ["not-converged"]],
    [1, ["unreachable"]],
    [1, ["unknown"]],
    [2, ["converged", "identity-mismatch"]],
    [2, ["duplicate-machine", "duplicate-machine"]],
    [1, ["identity-mismatch", "unreachable"]],
  ] as const)("%d for %j", (code, codes) => expect(applyExit(outcomes(...codes))).toBe(code));
});

test("only what was read back, or left out on purpose, is good", () => {
  const good = Object.entries(OUTCOMES).filter(([, { good }]) => good);
  expect(good.map(([code]) => code)).toEqual(["converged", "skipped"]);
});
