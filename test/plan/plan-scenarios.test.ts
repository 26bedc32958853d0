import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runPlan } from "../../src/commands/plan.ts";
import { planDocumentOf } from "../../src/commands/plan-document-of.ts";
import { type PlanDocument, planDocumentSchema } from "../../src/model/plan-document.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { doorsOf, readScenario, type Scenario } from "./plan-scenario.ts";

const FOLDER = "test/scenarios/plan";
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));

function wishOf({ arguments: asked }: Scenario) {
  return { base: asked.includes("--base") ? "base" : null, scheduleMs: 900_000 };
}

describe("a plan tells the story as it was accepted", () => {
  it("of more than nothing", () => expect(names.length).toBeGreaterThan(4));

  it.each(names)("%s", async (name) => {
    const scenario = readScenario(readFileSync(`${FOLDER}/${name}`, "utf8"));
    const result = await runPlan(doorsOf(scenario), wishOf(scenario), {
      diff: scenario.arguments.includes("--diff"),
    });
    const told = `${result.text(PLAIN)}exit ${result.exitCode}\n`;
    const golden = `test/golden/plan/${name}`;
    if (process.env.ROLLCALL_ACCEPT === "1") writeFileSync(golden, told);
    expect(told).toBe(readFileSync(golden, "utf8"));
    expect(planDocumentSchema.parse(result.document)).toEqual(result.document);
  });

  it.each(names)("%s, and the document does not depend on the order of anything", async (name) => {
    const scenario = readScenario(readFileSync(`${FOLDER}/${name}`, "utf8"));
    const turned = <Value>(map: ReadonlyMap<string, Value>) => new Map([...map].reverse());
    const { states, reports, heartbeats } = scenario.record;
    const record = {
      ...scenario.record,
      states: turned(states),
      reports: turned(reports),
      heartbeats: turned(heartbeats),
    };
    const bytes = async (told: Scenario): Promise<string> => {
      const answer = await planDocumentOf(doorsOf(told), wishOf(told));
      if ("refusal" in answer) throw new Error(answer.refusal.message);
      return JSON.stringify(answer.document satisfies PlanDocument);
    };
    expect(await bytes({ ...scenario, record })).toBe(await bytes(scenario));
  });
});
