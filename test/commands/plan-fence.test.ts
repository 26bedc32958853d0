import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runPlan, runSimulation } from "../../src/commands/plan.ts";
import { planDocumentSchema } from "../../src/model/plan-document.ts";
import type { Lineage } from "../../src/ports.ts";
import { COMMIT } from "../engine/proved-record.ts";
import { doorsOf, readScenario } from "../plan/plan-scenario.ts";

/** Reconciled at generation 41, and changed since: with a number of its own, and without one. */
const raised = readScenario(readFileSync("test/scenarios/plan/content-and-restart.txt", "utf8"));
const forgotten = readScenario(readFileSync("test/scenarios/plan/stale-generation.txt", "utf8"));

const NEWER: Lineage = { shallow: false, descends: true, same: false, newest: null };
const WISH = { base: null, scheduleMs: null };
const VIEW = { diff: false };

function doors(
  scenario: typeof raised,
  lineage: Partial<Lineage>,
  over: { merged?: boolean; dirty?: string[]; behind?: boolean } = {},
) {
  const plain = doorsOf(scenario);
  const asked: string[] = [];
  const repository = {
    ...plain.repository,
    standing: async () => ({ ...(await plain.repository.standing()), merged: true, ...over }),
    lineage: async (_head: string, recorded: string | null) => {
      asked.push(String(recorded));
      return { ...NEWER, ...lineage };
    },
  };
  return { doors: { ...plain, repository }, asked };
}

async function planned(...given: Parameters<typeof doors>) {
  const { exitCode, document } = await runPlan(doors(...given).doors, WISH, VIEW);
  const { blocks, warnings } = planDocumentSchema.parse(document);
  return { exitCode, blocks, warnings: warnings.map(({ code }) => code) };
}

describe("a plan of what is merged", () => {
  it("is blocked as the next merge run would refuse it, with the line that mends it", async () => {
    expect(await planned(forgotten, {})).toEqual({
      exitCode: 2,
      warnings: [],
      blocks: [
        {
          code: "stale-generation",
          message: "generation 41 is not above 41, which was last reconciled",
          hint: "Run: rollcall generation bump --generation 41",
          file: "roster/fleet.yaml",
          line: null,
        },
      ],
    });
    const { doors: same, asked } = doors(forgotten, {});
    expect((await runSimulation(same, WISH, "")).exitCode).toBe(2);
    expect(asked).toEqual([COMMIT]);
  });

  it.each([
    ["has a number of its own", raised, {}, {}],
    ["is what was reconciled", forgotten, { same: true }, {}],
    ["is older than what was reconciled", forgotten, { descends: false }, { behind: true }],
    ["is not merged yet", forgotten, {}, { merged: false }],
    ["is not committed yet", forgotten, {}, { dirty: ["roster/fleet.yaml"] }],
  ] as const)("is not where it %s", async (_what, scenario, lineage, over) => {
    const { dirty, ...rest } = { dirty: [], ...over };
    expect(await planned(scenario, lineage, { ...rest, dirty: [...dirty] })).toMatchObject({ exitCode: 0, blocks: [] });
  });

  it("is blocked where main's own tip was taken back", async () => {
    const { exitCode, blocks } = await planned(raised, { descends: false });
    expect({ exitCode, codes: blocks.map(({ code }) => code) }).toEqual({ exitCode: 2, codes: ["not-descending"] });
  });

  it("warns where this clone lacks the history to tell", async () => {
    const expected = { exitCode: 0, blocks: [], warnings: ["shallow-clone"] };
    expect(await planned(forgotten, { shallow: true, descends: false })).toEqual(expected);
  });

  it("is fenced against the base alone where one was named", async () => {
    const { doors: all, asked } = doors(raised, {});
    expect((await runPlan(all, { base: "base", scheduleMs: null }, VIEW)).exitCode).toBe(0);
    expect(asked).toEqual([]);
  });
});
