import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/engine/check.ts";
import { CASE_PACKAGES } from "./case-packages.ts";
import { readLoopCases, writeCaseRepository } from "./loop-cases.ts";
import { itemsOf, outcomes, startTrial, type Trial } from "./trial.ts";

const cases = readLoopCases();

/** Every case is a node; the whole fleet is checked, applied and checked at once. */
describe("the loop, over SSH, on embedded nodes", () => {
  const repository = writeCaseRepository(cases);
  let trial: Trial | undefined;
  let first: CheckResult;
  let applied: CheckResult;
  let last: CheckResult;

  beforeAll(async () => {
    const plans = cases.map(({ node }) => ({ name: node, repository: CASE_PACKAGES }));
    trial = await startTrial(repository, plans);
    for (const { node, given } of cases) {
      if (given === undefined) continue;
      const ran = await trial.fleet.node(node).shell(given);
      expect(ran, `${node}: ${given}`).toMatchObject({ exitCode: 0, stderr: "" });
    }
    first = await trial.check();
    applied = await trial.apply();
    last = await trial.check();
  }, 120_000);
  afterAll(async () => {
    await trial?.close();
    rmSync(repository, { recursive: true });
  });

  it.each(cases.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    expect(itemsOf(first, one.node)).toEqual(one.check);
    expect(outcomes(applied)[one.node]).toBe(one.outcome ?? "converged");
    const message = applied.outcomes.find(({ node }) => node === one.node)?.message;
    expect(message).toContain(one.says ?? "");
    expect(itemsOf(last, one.node)).toEqual(one.left ?? []);
    if (one.then === undefined) return;
    const ran = await trial?.fleet.node(one.node).shell(one.then);
    expect(`${ran?.stdout}${ran?.stderr}`).toBe(one.prints);
  });
});
